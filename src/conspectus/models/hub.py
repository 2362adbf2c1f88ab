"""Models in GGUF files of the Hugging Face hub: what a repository has, and a file of it, verified.

`HF_ENDPOINT` is the address of another hub, as for the hub's own programs.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import msgspec
from filelock import FileLock

from conspectus.core import http
from conspectus.core.disk import explain_write_errors
from conspectus.core.errors import ModelDamagedError, ModelMissingError, NotFoundError, ServiceAwayError, SettingsError
from conspectus.models.downloads import Progress
from conspectus.models.store import sha256

PREFIX = "hf:"
FORM = "hf:OWNER/REPO/FILE.gguf"
_PART = r"[\w-][\w.-]{0,95}"
_NAME = re.compile(rf"hf:({_PART})/({_PART})(?:/((?:{_PART}/){{0,4}}{_PART}))?")
_SPLIT = re.compile(r"-\d{5}-of-\d{5}\.gguf$")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TIMEOUT = 30.0
_MOST_BYTES = 2**23
_REDIRECTS = 5
_BLOCK_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class HubRepository:
    """A repository of the hub."""

    owner: str
    name: str

    @property
    def title(self) -> str:
        """`OWNER/REPO`."""
        return f"{self.owner}/{self.name}"

    def place(self, store: Path, path: str) -> Path:
        """Where a file of it is kept in a model store."""
        return store / "gguf" / self.owner / self.name / path


@dataclass(frozen=True, slots=True)
class HubFile:
    """A model in a file: its size in bytes, the SHA-256 that the hub gives, and the repository's licence."""

    repository: HubRepository
    path: str
    size: int
    sha256: str
    licence: str

    @property
    def name(self) -> str:
        """`hf:OWNER/REPO/FILE.gguf`."""
        return f"{PREFIX}{self.repository.title}/{self.path}"

    @property
    def megabytes(self) -> int:
        """At least one."""
        return max(1, round(self.size / 1e6))

    def place(self, store: Path) -> Path:
        """Where it is kept in a model store."""
        return self.repository.place(store, self.path)

    def is_here(self, store: Path) -> bool:
        """Whether a file of its size is there; it got its name when its hash was right."""
        with suppress(OSError):
            return self.place(store).stat().st_size == self.size
        return False


def hub_address() -> str:
    """The hub, or the address that `HF_ENDPOINT` puts in its place."""
    return (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")


def parse_hub_name(name: str) -> tuple[HubRepository, str]:
    """The repository and the file of `hf:OWNER/REPO/FILE.gguf`; the file may be missing.

    Raises:
        SettingsError: it is no such name.
    """
    match = _NAME.fullmatch(name)
    if match is None or ".." in name or (match[3] and not match[3].lower().endswith(".gguf")):
        raise SettingsError(
            f"'{name}' is no model of the hub.", f"It looks like {FORM}, or hf:OWNER/REPO to list files."
        )
    return HubRepository(match[1], match[2]), match[3] or ""


def list_hub_files(repository: HubRepository) -> tuple[HubFile, ...]:
    """The models in a repository, small ones first. Those split into several files are left out.

    Raises:
        NotFoundError: there is no such repository that is open to everybody.
        ServiceAwayError: the hub does not answer.
    """
    try:
        reply = http.exchange(
            "GET",
            f"{hub_address()}/api/models/{quote(repository.title)}",
            params={"blobs": "true"},
            timeout=_TIMEOUT,
            most=_MOST_BYTES,
        )
    except http.NoAnswerError as error:
        raise ServiceAwayError(
            f"'{hub_address()}' cannot be reached: {str(error).rstrip('.')}.", "Check the network and try again."
        ) from None
    if reply.status in (401, 403, 404):
        raise NotFoundError(
            f"There is no repository '{repository.title}' that is open to everybody.", "Check its name on the hub."
        )
    repository_info = reply.json() if reply.ok else None
    if not isinstance(repository_info, dict):
        raise ServiceAwayError(f"'{hub_address()}' answered with HTTP {reply.status}.", "Try again later.")
    return tuple(sorted(_gguf_files(repository, repository_info), key=lambda file: file.size))


def find_hub_file(name: str) -> HubFile:
    """The file of `hf:OWNER/REPO/FILE.gguf`, as the hub describes it. Raises as `list_hub_files`, `parse_hub_name`."""
    repository, path = parse_hub_name(name)
    files = list_hub_files(repository)
    match = next((file for file in files if file.path == path), None)
    if match is None:
        known = ", ".join(file.path for file in files[:20]) or "none"
        raise NotFoundError(f"'{repository.title}' has no model '{path}'.", f"Models in one GGUF file there: {known}.")
    return match


class _StoredBlob(msgspec.Struct):
    sha256: str


class _ListedFile(msgspec.Struct):
    """A file as the hub lists it; `lfs` is of large ones, as models are."""

    rfilename: str
    size: int
    lfs: _StoredBlob


def _gguf_files(repository: HubRepository, repository_info: dict[str, Any]) -> Iterator[HubFile]:
    licence = _licence(repository_info)
    rows = repository_info.get("siblings")
    for row in rows if isinstance(rows, list) else ():
        try:
            listed = msgspec.convert(row, _ListedFile)
        except msgspec.ValidationError:  # a small file, or nothing that is known here
            continue
        path = listed.rfilename
        is_model = _NAME.fullmatch(f"{PREFIX}{repository.title}/{path}") and path.lower().endswith(".gguf")
        is_alone = ".." not in path and not _SPLIT.search(path) and "mmproj" not in path.lower()
        if is_model and is_alone and listed.size > 0 and _SHA256.fullmatch(listed.lfs.sha256):
            yield HubFile(repository, path, listed.size, listed.lfs.sha256, licence)


def _licence(repository_info: dict[str, Any]) -> str:
    card, tags = repository_info.get("cardData"), repository_info.get("tags")
    licence = card.get("license") if isinstance(card, dict) else None
    if isinstance(licence, list):
        licence = ", ".join(str(item) for item in licence[:5])
    if not isinstance(licence, str):
        marks = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
        licence = next((tag.removeprefix("license:") for tag in marks if tag.startswith("license:")), "")
    return " ".join(licence.split())[:100]


def fetch_hub_file(file: HubFile, store: Path, progress: Progress) -> Path:
    """The file in the model store, fetched unless it is there; what came of it before an end is used again.

    Raises:
        UsageError: the store cannot be written.
        ModelMissingError: its disk has no room.
        ModelDamagedError: other bytes came than the hub announced.
        ServiceAwayError: the download broke off.
    """
    goal = file.place(store)
    with explain_write_errors(store, "Set another folder: CONSPECTUS_MODELS_STORE=FOLDER"):
        goal.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(goal.parent / f".{file.sha256[:16]}.lock"):
            if file.is_here(store):
                return goal
            part = goal.parent / f".{file.sha256[:16]}.part"
            _check_room(file, part)
            _download(file, part, progress)
            if sha256(part) != file.sha256:
                part.unlink()
                raise ModelDamagedError(
                    f"'{file.name}' came with other bytes than the hub announced.", "Fetch it again."
                )
            part.replace(goal)
            return goal


def _check_room(file: HubFile, part: Path) -> None:
    free = shutil.disk_usage(part.parent).free + _size(part)
    if free < file.size:
        raise ModelMissingError(
            f"There is no room for '{file.name}': it has {file.size / 1e6:,.0f} MB, and the disk of the model store "
            f"has {free / 1e6:,.0f} MB.",
            "Make room, or set another folder: CONSPECTUS_MODELS_STORE=FOLDER",
        )


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _download(file: HubFile, part: Path, progress: Progress) -> None:
    """Bring the part to the file's size; what is there is not asked for again."""
    from conspectus.core.transport import wait_for

    if _size(part) > file.size:
        part.unlink()
    if _size(part) == file.size:
        return
    try:
        with http.explain_http_errors(_TIMEOUT), part.open("ab") as target:
            wait_for(_receive(file, target, progress))
    except http.NoAnswerError as error:
        raise ServiceAwayError(
            f"'{file.name}' was not fetched: {str(error).rstrip('.')}.", "Try again; what has come is kept."
        ) from None
    if _size(part) < file.size:
        raise ServiceAwayError(
            f"'{file.name}' ended after {_size(part):,} of {file.size:,} bytes.", "Try again; what has come is kept."
        )


async def _receive(file: HubFile, target: IO[bytes], progress: Progress) -> None:
    """Write what comes; a redirect may lead to the hub's servers of files, over HTTPS."""
    from conspectus.core.transport import BoundedClient

    done, step = target.tell(), max(_BLOCK_BYTES, file.size // 200)
    headers = {"User-Agent": http.user_agent(), "Accept-Encoding": "identity"}
    headers |= {"Range": f"bytes={done}-"} if done else {}
    url = f"{hub_address()}/{quote(file.repository.title)}/resolve/main/{quote(file.path)}"
    async with BoundedClient(file.size, _TIMEOUT, direct=http.is_here(url)) as client:
        request = client.build_request("GET", url, headers=headers)
        for _ in range(_REDIRECTS + 1):
            reply = await client.send(request, stream=True)
            if (following := reply.next_request) is None or reply.status_code not in range(301, 309):
                break
            await reply.aclose()
            if following.url.scheme != "https" and following.url.host != request.url.host:
                raise http.NoAnswerError("it sends on to an address without HTTPS", retry=False)
            request = client.build_request("GET", following.url, headers=headers)
        try:
            if reply.status_code == 200:  # all of it, whatever was asked for
                target.truncate(0)
                done = 0
            elif reply.status_code != 206:
                raise http.NoAnswerError(f"its server answered with HTTP {reply.status_code}")
            async for piece in reply.aiter_bytes(_BLOCK_BYTES):
                await asyncio.to_thread(target.write, piece)
                before, done = done, done + len(piece)
                if before // step != done // step:
                    progress(done, file.size)
        finally:
            await reply.aclose()
