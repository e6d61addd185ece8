"""The base of all pages in the admin: read-only, with the named fields only, and noted in the audit log."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib.admin import ModelAdmin
from django.contrib.admin.utils import display_for_field, display_for_value, label_for_field, lookup_field
from django.contrib.admin.views.main import ERROR_FLAG
from django.core.paginator import Paginator
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.text import capfirst

from classrooms.audit import note
from classrooms.models import Action, Classroom, User

if TYPE_CHECKING:
    _Paginator = Paginator[Any]
    _ModelAdmin = ModelAdmin[Any]
else:
    _Paginator, _ModelAdmin = Paginator, ModelAdmin

_EMPTY = "-"
_READING = ("GET", "HEAD")


class CappedPaginator(_Paginator):
    """Counts and shows the first ten thousand rows only, since counting a table of millions takes seconds."""

    MOST = 10_000

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[: self.MOST].count())


class ReadOnlyAdmin(_ModelAdmin):
    """Lists and shows rows of a model. Only the fields in `fields` are shown, so a new one isn't by accident.

    Lists have no children's names: those are on the page of one row, and a look at that is logged for the person.
    """

    person_path = ""
    """Attributes that lead from a row to the user it's about."""
    classroom_path = ""
    """Attributes that lead from a row to its class."""
    methods: ClassVar[tuple[str, ...]] = _READING
    actions = None
    sortable_by = ()
    ordering = ("-pk",)
    list_per_page = 50
    list_max_show_all = 0
    show_full_result_count = False
    paginator = CappedPaginator
    view_on_site = False
    change_list_template = "admin/change_list.html"
    change_form_template = "admin/change_form.html"

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        guard = self.admin_site.admin_view
        return [
            path("", guard(self.changelist_view), name=f"{name}_changelist"),
            path("<str:object_id>/", guard(self.change_view), name=f"{name}_change"),
        ]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Only the filters on the page. Django allows any field here, which would reveal hashes letter by letter."""
        return lookup in {f"{name}__{how}" for name in self.list_filter for how in ("exact", "isnull")}

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Look rows up by key only."""
        return super().get_object(request, object_id)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        if request.method not in _READING:
            return HttpResponseNotAllowed(_READING)
        if ERROR_FLAG in request.GET:
            # Django redirects here from a query that makes no sense.
            return HttpResponseRedirect(request.path)
        response = super().changelist_view(request, extra_context)
        context = getattr(response, "context_data", None)
        if context is None:
            return response
        found = context["cl"]
        context["headers"] = [capfirst(str(label_for_field(name, self.model, self))) for name in self._columns]
        context["rows"] = [(self._url(row), self._cells(row)) for row in found.result_list]
        context["page"] = found.paginator.get_page(found.page_num)
        context["filters"] = [(capfirst(str(each.title)), list(each.choices(found))) for each in found.filter_specs]
        note(request.user, Action.LISTED, what=self.opts.label, amount=len(context["rows"]))
        return response

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> Any:
        if request.method not in self.methods:
            return HttpResponseNotAllowed(self.methods)
        return super().change_view(request, object_id, form_url, extra_context)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **more: Any) -> Any:
        context["rows"] = [self._line(context["original"], name) for name in self.get_fields(request)]
        context["list_url"] = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")
        self.note_row(request, Action.VIEWED, context["original"])
        return super().render_change_form(request, context, *args, **more)

    def note_row(self, request: HttpRequest, action: Action, row: Model) -> None:
        person, classroom = _follow(row, self.person_path), _follow(row, self.classroom_path)
        note(
            request.user,
            action,
            person=person if isinstance(person, User) else None,
            classroom=classroom if isinstance(classroom, Classroom) else None,
            what=self.opts.label,
        )

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> None:  # type: ignore[override]  # nobody uses Django's entry
        """Write to the site's audit log instead of Django's own."""
        self.note_row(request, Action.CHANGED, obj)

    def response_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        return HttpResponseRedirect(self._url(obj))

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponse:
        raise Http404("no such row")

    @property
    def _columns(self) -> list[str]:
        return [str(name) for name in self.list_display]

    def _url(self, row: Model) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[row.pk])

    def _cells(self, row: Model) -> list[str]:
        return [self._cell(row, name) for name in self._columns]

    def _line(self, row: Model, name: Any) -> tuple[str, list[tuple[str, str]]]:
        """A field's label and what's in it, each with a URL if it has a page here.

        Related rows are shown by number: the names of some contain codes, and people's belong on their own pages.
        """
        field = self.opts.get_field(name)
        related: Any = field.related_model
        label = capfirst(str(label_for_field(name, self.model, self)))
        if related is None:
            return label, [("", self._cell(row, name))]
        found = getattr(row, name).all() if field.many_to_many else [getattr(row, name)]
        return label, [(self._related_url(each), f"{related._meta.verbose_name} {each.pk}") for each in found if each]

    def _related_url(self, row: Model) -> str:
        opts = row._meta
        if not self.admin_site.is_registered(type(row)):
            return ""
        return reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=[row.pk])

    def _cell(self, row: Model, name: str) -> str:
        field, _attribute, value = lookup_field(name, row, self)
        if field is None:
            return str(display_for_value(value, _EMPTY))
        return str(display_for_field(value, field, _EMPTY))


def _follow(row: Model, steps: str) -> Any:
    """What a dotted path leads to; the row itself for "self", and None for a path that ends early."""
    found: Any = row if steps else None
    for step in steps.split("."):
        if step not in {"", "self"}:
            found = getattr(found, step, None)
    return found
