"""Alembic's entry: migrates on the connection that `catalog.engine.migrate` hands over."""

from alembic import context

from conspectus.catalog import schema  # noqa: F401 - its tables
from conspectus.catalog.columns import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
context.run_migrations()
