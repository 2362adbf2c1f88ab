"""What another package brings, held against the suites that are shipped."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conspectus_plain.engine import PlainIndex
from conspectus_plain.files import NoteReader

from conspectus.models.protocol import Embedder, Encoder, Reranker
from conspectus.models.registry import make_embedder as embedder_of
from conspectus.models.registry import make_encoder as encoder_of
from conspectus.models.registry import make_reranker as reranker_of
from conspectus.settings import load_settings
from conspectus.testing.index import IndexConformance
from conspectus.testing.models import EmbedderConformance, EncoderConformance, RerankerConformance
from conspectus.testing.readers import ReaderConformance

pytestmark = pytest.mark.usefixtures("installed")


class TestPlainIndex(IndexConformance):
    @pytest.fixture
    def make_index(self, tmp_path: Path) -> Callable[[], PlainIndex]:
        return lambda: PlainIndex(tmp_path / "index")


class TestNoteReader(ReaderConformance):
    @pytest.fixture
    def reader(self) -> NoteReader:
        return NoteReader()

    @pytest.fixture
    def sample(self, tmp_path: Path) -> Path:
        path = tmp_path / "one.note"
        path.write_text("NOTE\nOn replay\n\nIt replays. It does so in sleep.\n\nNobody knows why.\n")
        return path


class TestLetterEmbedder(EmbedderConformance):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return embedder_of(load_settings(None, {"models.embedder": "letters:200"}).models)


class TestColourEncoder(EncoderConformance):
    @pytest.fixture
    def encoder(self) -> Encoder:
        return encoder_of(load_settings(None, {"models.encoder": "colours"}).models)


class TestOverlap(RerankerConformance):
    @pytest.fixture
    def reranker(self) -> Reranker:
        return reranker_of("overlap", load_settings(None).models)
