"""Template tag for the JavaScript modules of a page."""

from django import template
from django.template.context import Context
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from core.http.modules import module_files

register = template.Library()


@register.simple_tag(takes_context=True)
def module(context: Context, name: str) -> SafeString:
    """Load a module, and what it imports along with it instead of only once it has arrived.

    Modules run in the order of the page, after scripts with `defer` that come before them.
    """
    loaded: set[str] = context.render_context.setdefault("modules", set())  # type: ignore[arg-type, assignment]
    *imported, own = module_files(name)
    fresh = [each for each in imported if each not in loaded]
    loaded.update(fresh)
    preloads = format_html_join("", '<link rel="modulepreload" href="{}">', [[static(each)] for each in fresh])
    return format_html('{}<script type="module" src="{}"></script>', preloads, static(own))
