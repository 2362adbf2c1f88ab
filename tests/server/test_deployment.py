"""The files in `deploy/`: what they set is what the program reads, and a group's server starts with it."""

import json
import re
import tomllib
import urllib.request
from pathlib import Path

import pytest
import yaml

from conspectus.settings import load_settings
from postgres_server import Server
from serving import program

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))
TOKEN = "a token of a group"


@pytest.mark.postgres
def test_the_server_of_the_compose_file_starts(vector_server: Server, tmp_path: Path) -> None:
    """A group would follow the documentation to a server that ends at once, or that keeps its index elsewhere."""
    with vector_server.owned() as run:
        run("CREATE DATABASE papers")
        run("CREATE ROLE papers SUPERUSER LOGIN PASSWORD 'papers'")  # as the image of the database makes it
        statement = (ROOT / "deploy" / "database.sql").read_text("utf-8")
    with vector_server.owned("papers") as run:
        run(statement)
    service = COMPOSE["services"]["conspectus"]
    at = f"papers@127.0.0.1:{vector_server.port}/papers"
    given = {"CONSPECTUS_SERVER_TOKEN": TOKEN, "PGPASSWORD": "papers"}
    environment = {name: given.get(name, value) for name, value in service["environment"].items()}
    environment["CONSPECTUS_CATALOG_URL"] = environment["CONSPECTUS_CATALOG_URL"].replace("papers@database/papers", at)
    words = [word.replace("${HOST_NAME:-localhost}", "localhost") for word in service["command"][2:]]
    with program(tmp_path / "library", *words, "--port", "0", **environment) as process:
        assert process.stdout and process.stderr
        place = process.stdout.readline().strip()
        assert place, process.stderr.read()
        port = re.search(r":(\d+)/", place)
        assert port
        root = f"http://localhost:{port[1]}/api/v1"
        asked = urllib.request.Request(f"{root}/status", headers={"authorization": f"Bearer {TOKEN}"})
        with urllib.request.urlopen(asked, timeout=60) as answered:
            status = json.load(answered)
        with urllib.request.urlopen(f"{root}/health", timeout=60) as answered:  # the image asks without a token
            assert answered.status == 200
    assert status["counts"]["papers"] == 0, status


def test_the_variables_of_the_compose_file_are_settings() -> None:
    """A misspelt variable would be passed over, and the library would be in the container."""
    environment = COMPOSE["services"]["conspectus"]["environment"]
    settings = load_settings(None, environ={name: str(value) for name, value in environment.items()})
    assert settings.index.engine == "postgres"
    assert settings.catalog.url == "postgresql://papers@database/papers"


def test_the_image_installs_extras_that_there_are_from_files_that_it_copies() -> None:
    """The image could not be built, or would lack the page."""
    text = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = re.search(r"\[([\w,]+)\]\"", text)
    assert named and set(named[1].split(",")) <= extras.keys()
    sent = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text("utf-8").splitlines()
    kept = [line[1:] for line in sent if line.startswith("!")]
    assert all((ROOT / name).exists() for name in kept)
    assert {"src", "web", "examples", "hatch_build.py", "pyproject.toml", "README.md", "LICENSE"} <= set(kept)
