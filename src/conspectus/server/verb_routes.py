"""HTTP routes made from declared verbs: parameters, bodies and answers from their signatures."""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, File, Query, UploadFile
from fastapi import Path as InPath
from pydantic import BaseModel, Field, create_model
from starlette.responses import Response

from conspectus.core.disk import explained, replacing
from conspectus.faces.declare import PICTURE, REQUIRED, Parameter, Verb, VerbGroup, arguments, parameters, verbs_of
from conspectus.faces.filters import make_passage_filters
from conspectus.faces.results import body_of, call, job_result_type, result_type, verb_method
from conspectus.library import Library
from conspectus.records import Filters
from conspectus.server import access
from conspectus.server.exchange import (
    BEGAN,
    RequestBody,
    TheBoard,
    TheLibrary,
    accepted,
    answers,
    json_response,
    register_job_results,
    uploaded,
)
from conspectus.server.inbox import safe_name

_IN_PATH = re.compile(r"\{(\w+)\}")


def tag_of(group: type[VerbGroup]) -> str:
    """The tag of a group's routes: the room that it lives in."""
    return group.group or group.__module__.split(".")[1]


def make_router(group: type[VerbGroup]) -> APIRouter:
    """The routes of a group's verbs."""
    router = APIRouter(tags=[tag_of(group)])
    for verb in verbs_of(group):
        for method in verb.methods:
            _add_route(router, verb, method)
    return router


def _add_route(router: APIRouter, verb: Verb, method: str) -> None:
    in_path = _IN_PATH.findall(verb.path)
    offered_parameters = parameters(verb.function, "http")
    model = _body_model(
        verb, method, [parameter for parameter in offered_parameters if _address_name(parameter) not in in_path]
    )
    endpoint = _job_endpoint(verb) if verb.job else _endpoint(verb)
    name = re.sub(r"[ -]", "_", verb.full_name) + ("" if method == verb.methods[0] else f"_by_{method.lower()}")
    endpoint.__name__, endpoint.__doc__ = name, verb.description
    endpoint.__signature__ = inspect.Signature(_signature(verb, offered_parameters, in_path, model))  # type: ignore[attr-defined]
    shape = result_type(verb)
    if verb.job:
        register_job_results(job_result_type(verb))
    router.add_api_route(
        _IN_PATH.sub(lambda match: "{paper:name}" if match[1] == "paper" else f"{{{match[1]}:one}}", verb.path),
        endpoint,
        methods=[method],
        status_code=202 if verb.job else verb.status,
        responses=BEGAN if verb.job else answers(verb.summary, shape, verb.status),
        response_model=None,
    )


def _endpoint(verb: Verb) -> Callable[..., Response]:
    def endpoint(library: Any, **values: Any) -> Response:
        result = call(library, verb, arguments(verb.function, "http", _flat(library, verb, values)))
        return json_response(verb.schema_name, body_of(verb, result), verb.status)

    return endpoint


def _job_endpoint(verb: Verb) -> Callable[..., Response]:
    def endpoint(library: Any, board: Any, **values: Any) -> Response:
        verb_arguments = arguments(verb.function, "http", _flat(library, verb, values))
        return accepted(board.begin(verb_method(library, verb), **verb_arguments))

    return endpoint


def _flat(library: Library, verb: Verb, values: dict[str, Any]) -> dict[str, Any]:
    """The values by the names of the verb's parameters: those of the body, of the address, and files that were sent."""
    for parameter in parameters(verb.function, "http"):
        if parameter.option.upload and parameter.name in values:
            values[parameter.name] = _received(library, parameter, values[parameter.name])
    body = values.pop("body", None)
    if isinstance(body, BaseModel):
        access.check(library, body)
    body_values = {name: getattr(body, name) for name in body.model_fields_set} if isinstance(body, BaseModel) else {}
    return values | body_values


def _received(library: Library, parameter: Parameter, sent: Any) -> Any:
    folder = parameter.option.upload
    if folder == PICTURE:
        return uploaded(sent)
    if not parameter.is_list:
        return keep_upload(library, sent, folder)
    return [keep_upload(library, file, folder) for file in sent]


def keep_upload(library: Library, file: UploadFile, folder: str) -> Path:
    """The copy of a file that was sent, whole, in a folder of the library; a folder for its bytes keeps names apart."""
    digest = hashlib.sha256()
    while block := file.file.read(1 << 20):
        digest.update(block)
    file.file.seek(0)
    place = library.folder / folder / digest.hexdigest()[:16] / safe_name(file.filename or "")
    with explained(library.folder / folder):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(place) as part, part.open("xb") as copy:
            shutil.copyfileobj(file.file, copy)
            copy.flush()
            os.fsync(copy.fileno())
    return place


def _signature(
    verb: Verb, offered: Iterable[Parameter], in_path: list[str], model: type[BaseModel] | None
) -> list[inspect.Parameter]:
    keyword = inspect.Parameter.KEYWORD_ONLY
    route_parameters = [inspect.Parameter("library", keyword, annotation=TheLibrary)]
    if verb.job:
        route_parameters.append(inspect.Parameter("board", keyword, annotation=TheBoard))
    if model is not None:
        is_needed = any(field.is_required() for field in model.model_fields.values())
        route_parameters.append(
            inspect.Parameter("body", keyword, annotation=model)
            if is_needed
            else inspect.Parameter("body", keyword, default=None, annotation=model | None)
        )
    for parameter in offered:
        if _address_name(parameter) in in_path:
            single = replace(parameter, is_list=False)  # of a list, an address names one
            route_parameters.append(inspect.Parameter(parameter.name, keyword, annotation=_annotated(single, InPath)))
        elif parameter.option.upload:
            kind: Any = list[UploadFile] if parameter.is_list else UploadFile
            about = File(description=parameter.option.help or None, alias=parameter.option.query or None)
            route_parameters.append(inspect.Parameter(parameter.name, keyword, annotation=Annotated[kind, about]))
        elif model is None:
            route_parameters.append(_query(parameter))
    return route_parameters


def _address_name(parameter: Parameter) -> str:
    return parameter.option.query or parameter.name


def _query(parameter: Parameter) -> inspect.Parameter:
    default = inspect.Parameter.empty if parameter.default is REQUIRED else _plain_default(parameter)
    return inspect.Parameter(
        parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=_annotated(parameter, Query)
    )


def _annotated(parameter: Parameter, source: Callable[..., Any]) -> Any:
    option = parameter.option
    limits = _limits(parameter)
    limits["alias"] = option.query or None
    if source is not Query:
        limits.pop("max_length", None)  # an address is bounded as a whole
    return Annotated[_plain_type(parameter), source(**limits)]


def _limits(parameter: Parameter) -> dict[str, Any]:
    option = parameter.option
    limits: dict[str, Any] = {"ge": option.ge, "le": option.le, "description": option.help or None}
    limits["max_length"] = option.max_items if parameter.is_list else option.max_length
    if option.example is not None:
        limits["examples"] = [option.example]
    return {name: value for name, value in limits.items() if value is not None}


def _body_model(verb: Verb, method: str, offered: list[Parameter]) -> type[BaseModel] | None:
    """What is sent to a route as a body; None if nothing is, or files are."""
    if method in ("GET", "DELETE") or not offered or any(parameter.option.upload for parameter in offered):
        return None
    name = "".join(word.capitalize() for word in re.split(r"[ -]", verb.full_name)) + "Request"
    return create_model(name, __base__=RequestBody, __doc__=verb.summary, **body_fields(offered))


def body_fields(offered: Iterable[Parameter]) -> dict[str, Any]:
    """The fields of a body for these parameters, as `create_model` takes them."""
    return {
        parameter.name: (
            _plain_type(parameter),
            Field(... if parameter.default is REQUIRED else _plain_default(parameter), **_limits(parameter)),
        )
        for parameter in offered
    }


@cache
def _text(longest: int | None) -> Any:
    return Annotated[str, Field(max_length=longest)] if longest else str


def _plain_type(parameter: Parameter) -> Any:
    """The type that JSON or an address has: text where the value is made from text, lists for tuples."""
    option = parameter.option
    if option.read is not None:
        return str
    kind = parameter.type
    if parameter.is_list:
        kind = list[_text(option.max_length) if kind is str else kind]  # type: ignore[misc]
    return kind | None if parameter.optional else kind


def _plain_default(parameter: Parameter) -> Any:
    if parameter.option.read is not None:
        return ""
    return list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default


def _filters(**values: Any) -> Filters:
    return make_passage_filters(**arguments(make_passage_filters, "http", values))


_filters.__signature__ = inspect.Signature(list(map(_query, parameters(make_passage_filters, "http"))))  # type: ignore[attr-defined]
TheFilters = Annotated[Filters, Depends(_filters)]
"""Which papers and kinds of passages, for routes written by hand."""
