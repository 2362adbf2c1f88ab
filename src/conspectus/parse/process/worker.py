"""The child process that reads files: `python -m conspectus.parse.process.worker [draws] MEMORY_MB`.

It takes orders on standard input and reports on what was its standard output; what libraries print goes nowhere. When
its parent is gone, by whatever death, it sees the end of its input and leaves, even in the midst of a file.
"""

from __future__ import annotations

import contextlib
import gc
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from conspectus.core.bounds import BOUNDS
from conspectus.core.errors import ConspectusError, InputError, LimitError
from conspectus.parse.process.wire import Drawing, Order, PackedImage, Report, Slot, receive, send, slot
from conspectus.parse.protocol import BadRecord, Item, Reader, Working

DRAWS = "draws"
"""The argument of a worker that only draws."""
BATCH = 64
"""The most items of one report."""
GARBAGE = 50_000
"""So many new objects have Python look for circles among them (its own number is 700): a paper is made of many small
records that live as long as its reading, and looking through them again and again took a twentieth of the time."""
_BATCH_CHARS = 2**20
_BATCH_SECONDS = 1.0


Notice = Callable[[Order], Iterator[Report]]
"""What is told of what was ordered."""


def main(
    get_reader: Callable[[str], Reader], memory_mb: int, *, draws: bool = False, tells: Notice | None = None
) -> None:
    """Reads files as ordered until there are no more orders.

    Args:
        reader_named: what reads papers.
        memory_mb: how much memory it may take.
        draws: it is to draw only, and ready sooner.
        tells: what is done instead of all that.
    """
    if not draws:
        import conspectus.parse.references.completion  # noqa: F401 - its time is not to count as the first file's
    gc.set_threshold(GARBAGE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders_in, reports_out = _private_streams()
    orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders_in, orders), daemon=True).start()
    _limit_memory(memory_mb)
    send(reports_out, Report())
    while True:
        _read(orders.get(), tells or partial(_answer, get_reader), reports_out, memory_mb)


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the parent, out of the reach of libraries that print or read."""
    orders, reports = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    return orders, reports


def _listen(stream: BinaryIO, orders: queue.SimpleQueue[Order]) -> None:
    with contextlib.suppress(Exception):
        while (order := receive(stream, Order)) is not None:
            orders.put(order)
    os._exit(0)


def _limit_memory(memory_mb: int) -> None:
    """No more than `memory_mb` above what is mapped now, where the system can say so."""
    if sys.platform != "linux":
        return
    import resource

    mapped = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    limit = mapped + memory_mb * 2**20
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _read(order: Order, tells: Notice, out: BinaryIO, memory_mb: int) -> None:
    path = Path(os.fsdecode(order.path))
    full = False
    try:
        for report in tells(order):
            send(out, report)
    except MemoryError:
        full = True  # what the failed frames hold is only let go behind this clause
    except OverflowError as error:
        send(out, _last(LimitError(f"'{path.name}' says too much at once: {error}.", "Split the file.")))
    except ConspectusError as error:
        send(out, _last(error))
    except Exception as error:  # noqa: BLE001 - whatever a reader does wrong, the other files go on
        send(out, _last(_failure(path.name, error)))
    if full:
        _leave_full(path.name, out, memory_mb)


def _answer(get_reader: Callable[[str], Reader], order: Order) -> Iterator[Report]:
    path = Path(os.fsdecode(order.path))
    if order.drawing is not None:
        yield Report(done=True, picture=draw(path, order.drawing))
    elif order.measured:
        yield Report(done=True, sizes=measure_pages(path))
    elif order.reader == "image":
        from conspectus.parse.process.images import image_pages

        yield from (Report(images=(page,)) for page in image_pages(path, order.crop))  # none waits for the next
        yield Report(done=True)
    else:
        yield from _reports(get_reader(order.reader).read(path))


def measure_pages(path: Path) -> tuple[tuple[float, float], ...]:
    """Width and height of each page of the PDF at `path`, in points."""
    from conspectus.parse.pdf.pdf_file import open_document

    with open_document(path) as document:
        return tuple(document.get_page_size(number) for number in range(len(document)))


def draw(path: Path, drawing: Drawing) -> PackedImage:
    """What `drawing` says of the file at `path`, in this process."""
    if drawing.picture is not None:
        from conspectus.parse.markup.pictures import picture

        image = picture(path, drawing.picture, drawing.scale)
        return PackedImage(*image.size, image.tobytes())
    from conspectus.parse.pdf.page_images import figure_image, read_figure_words, render_page

    if drawing.paper is not None:
        from conspectus.parse.pdf.page_images import draw_structure

        image = draw_structure(path, drawing.paper, drawing.page, drawing.scale)
    elif drawing.part is not None:
        image = figure_image(path, drawing.part, drawing.scale)
    else:
        image = render_page(path, drawing.page, drawing.rects, drawing.scale)
    words = read_figure_words(path, drawing.part) if drawing.part and drawing.words else ()
    if drawing.ocr and not words:
        from conspectus.parse.pdf.ocr import recognised_words

        words = recognised_words(image)
    return PackedImage(*image.size, image.convert("RGB").tobytes(), words)


def _reports(items: Iterator[Item | Working]) -> Iterator[Report]:
    """The items in batches: full ones, and what there is after a while or at a sign of life so that progress shows."""
    from conspectus.parse.process.sanitizer import sanitize, sanitize_bad_record
    from conspectus.parse.references.completion import complete

    batch: list[Slot] = []
    chars, begun = 0, time.monotonic()
    for item in items:
        if isinstance(item, Working):
            yield Report(tuple(batch), fraction=item.fraction)
            batch.clear()
            chars, begun = 0, time.monotonic()
            continue
        batch.append(slot(sanitize_bad_record(item) if isinstance(item, BadRecord) else complete(sanitize(item))))
        chars += 0 if isinstance(item, BadRecord) else sum(len(block.text) for block in item.blocks)
        if len(batch) == BATCH or chars > _BATCH_CHARS or time.monotonic() - begun > _BATCH_SECONDS:
            yield Report(tuple(batch), fraction=getattr(items, "fraction", None))
            batch.clear()
            chars, begun = 0, time.monotonic()
    yield Report(tuple(batch), done=True, fraction=1.0)


def _failure(name: str, error: Exception) -> InputError:
    reason = ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split())[:300])))
    return InputError(
        f"Reading '{name}' failed: {reason}.", "The file may be damaged; if others read it, please report this."
    )


def _last(error: ConspectusError, *, leaving: bool = False) -> Report:
    """The report of a file that cannot be read (on). Names of files need not be text that can be written."""
    message, hint = (
        text.encode(errors="replace").decode()[: BOUNDS.block.most] for text in (error.message, error.hint)
    )
    return Report(done=True, error=(type(error).__name__, message, hint), leaving=leaving)


def _leave_full(name: str, out: BinaryIO, memory_mb: int) -> None:
    """A process that ran out of memory is not trusted with another file."""
    error = LimitError(f"Reading '{name}' took more than {memory_mb:,} MB of memory.", "The setting is parse.memory.")
    send(out, _last(error, leaving=True))
    os._exit(0)


def _load_reader(name: str) -> Reader:
    from conspectus.parse.registry import get_reader

    return get_reader(name)


if __name__ == "__main__":
    main(_load_reader, int(sys.argv[-1]), draws=DRAWS in sys.argv)
