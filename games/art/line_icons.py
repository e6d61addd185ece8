"""Icons drawn with one stroke on a grid of 24: for doors, tabs, buttons and marks."""

from __future__ import annotations

BOX = 24

ICONS: dict[str, str] = {
    "learn": '<path d="M6 20c8 0 12-1.5 12-4.5S6 12.5 6 9s4-4.5 12-5"/>'
    '<circle cx="18" cy="4" r="1.5" fill="currentColor"/><circle cx="6" cy="20" r="1.5" fill="currentColor"/>',
    "play": '<rect x="3" y="7" width="11" height="14" rx="2.5"/>'
    '<path d="M9.5 3.5l8.7 1.6a2.5 2.5 0 0 1 2 2.9l-1.7 9"/>',
    "join": '<circle cx="8" cy="15.5" r="4"/><path d="M11 12.5L19.5 4M16 7.5l3 3"/>',
    "teach": '<circle cx="8.5" cy="8" r="3.5"/><path d="M2.5 20c.4-4 2.7-6 6-6s5.6 2 6 6M15.5 4.8a3.5 3.5 0 0 1 0 6.5'
    'M17.5 14.5c2.3.7 3.7 2.5 4 5.5"/>',
    "family": '<path d="M3.5 11.5L12 4l8.5 7.5M6 10v9.5h12V10"/>'
    '<path d="M12 16.5c-1.6-1.2-2.6-2-2.6-3.1 0-1.6 2-1.9 2.6-.5.6-1.4 2.6-1.1 2.6.5 0 1.1-1 1.9-2.6 3.1z"'
    ' fill="currentColor" stroke-width="1"/>',
    "me": '<circle cx="12" cy="8" r="4"/><path d="M4.5 20.5c.6-4.4 3.5-6.5 7.5-6.5s6.9 2.1 7.5 6.5"/>',
    "check": '<path d="M5 12.5l4.6 4.6L19.5 7"/>',
    "cross": '<path d="M6.5 6.5l11 11M17.5 6.5l-11 11"/>',
    "hint": '<path d="M9 17h6M10 20.5h4M8.5 14.5a6 6 0 1 1 7 0c-.6.5-.5 1.5-.5 2.5H9c0-1 .1-2-.5-2.5z"/>',
    "again": '<path d="M4.5 12a7.5 7.5 0 1 0 2.4-5.5M4.5 4v4.5H9"/>',
    "next": '<path d="M4.5 12h15M13.5 6l6 6-6 6"/>',
}


def icon_markup(name: str) -> str:
    """An icon in the color of the text around it."""
    return f'<svg class="icon" viewBox="0 0 {BOX} {BOX}" aria-hidden="true" focusable="false">{ICONS[name]}</svg>'
