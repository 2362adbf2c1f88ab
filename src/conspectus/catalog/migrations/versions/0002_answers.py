"""Calls of language models and what they took; answers, conversations, evidence; what summaries rest on."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

Exact = sa.Text(collation="C")
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables of what language models have said."""
    _calls()
    _answers()
    _evidence()


def _calls() -> None:
    op.create_table(
        "calls",
        sa.Column("key", Key, primary_key=True),
        sa.Column("digest", _text(64), nullable=False, unique=True),
        sa.Column("made", _text(32), nullable=False),
        sa.Column("reply", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "call_papers",
        sa.Column("call_key", Key, _parent("calls"), primary_key=True),
        sa.Column("paper_key", Key, _parent("papers"), primary_key=True, index=True),
    )
    op.create_table(
        "spending",
        sa.Column("key", Key, primary_key=True),
        sa.Column("at", _text(32), nullable=False, index=True),
        sa.Column("answer_id", _text(16), nullable=False, index=True),
        sa.Column("role", _text(32), nullable=False),
        sa.Column("model", _text(), nullable=False),
        sa.Column("prompt", _text(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer, nullable=False),
        sa.Column("cached_tokens", sa.Integer, nullable=False),
        sa.Column("completion_tokens", sa.Integer, nullable=False),
        sa.Column("cost", sa.Float),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("from_cache", sa.Boolean, nullable=False),
        sa.Column("failed", sa.Boolean, nullable=False),
    )


def _answers() -> None:
    op.create_table(
        "conversations",
        sa.Column("key", Key, primary_key=True),
        sa.Column("id", _text(16), nullable=False, unique=True),
        sa.Column("title", _text(), nullable=False),
        sa.Column("made", _text(32), nullable=False),
        sa.Column("updated", _text(32), nullable=False),
    )
    op.create_table(
        "answers",
        sa.Column("key", Key, primary_key=True),
        sa.Column("id", _text(16), nullable=False, unique=True),
        sa.Column("made", _text(32), nullable=False),
        sa.Column("question", _text(), nullable=False),
        sa.Column("standalone", _text(), nullable=False),
        sa.Column("method", _text(16), nullable=False),
        sa.Column("kind", _text(16), nullable=False),
        sa.Column("answered", sa.Boolean, nullable=False),
        sa.Column("conversation_key", Key, _parent("conversations"), index=True),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("trace", sa.LargeBinary, nullable=False),
    )


def _evidence() -> None:
    op.create_table(
        "answer_papers",
        sa.Column("answer_key", Key, _parent("answers"), primary_key=True),
        sa.Column("named", _text(16), primary_key=True),
        sa.Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
    )
    op.create_table(
        "evidence",
        sa.Column("key", Key, primary_key=True),
        sa.Column("answer_key", Key, _parent("answers"), nullable=False, index=True),
        sa.Column("paper_key", Key, _parent("papers"), nullable=False, index=True),
        sa.Column("id", _text(16), nullable=False),
        sa.Column("passage_id", _text(32), nullable=False),
        sa.Column("span_ids", sa.LargeBinary, nullable=False),
        sa.Column("summary", _text(), nullable=False),
        sa.Column("score", sa.Integer, nullable=False),
        sa.Column("retrieval", sa.Float, nullable=False),
    )
    op.create_table(
        "summaries",
        sa.Column("passage_key", Key, _parent("passages"), primary_key=True),
        sa.Column("model", _text(), nullable=False),
        sa.Column("prompt", _text(), nullable=False),
        sa.Column("made", _text(32), nullable=False),
        sa.Column("links", sa.LargeBinary, nullable=False),
    )


def _parent(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.key", ondelete="CASCADE")


def _text(length: int | None = None) -> sa.types.TypeEngine[str]:
    return (sa.Text() if length is None else sa.String(length)).with_variant(Exact, "postgresql")
