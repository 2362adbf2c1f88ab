"""What every search engine must do with rows that are added, deleted and committed; see `IndexConformance`."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from conspectus.index.protocol import SearchIndex, dead
from conspectus.records import Filters
from conspectus.testing.index_rows import (
    DIMENSIONS,
    HANG,
    MODEL,
    ONE_EACH,
    MakeIndex,
    by_text,
    by_vector,
    many_rows,
    passes,
    row,
    unit,
    write_rows,
)


class WritingConformance:
    """The tests."""

    def test_deleted_rows_are_gone_and_others_stay(self, index: SearchIndex) -> None:
        """Else removed papers are still found, or their removal takes others along."""
        rows = many_rows(60)
        write_rows(index, rows)
        gone = [1, 7, 30, 60, 999]
        write_rows(index, [], 2, delete=gone)
        left = [item for item in rows if item.key not in gone]
        assert index.keys().tolist() == [item.key for item in left]
        assert sorted(by_text(index, "common")) == [item.key for item in left]
        assert sorted(by_vector(index, unit(16))) == [item.key for item in left]
        assert index.stats().rows == 56
        for item in left[:10]:
            assert by_vector(index, item.vector, 1) == [item.key], "vectors and keys no longer belong together"

    def test_rows_added_after_deletions(self, index: SearchIndex) -> None:
        """Else an edited paper is found by its old words, or filtered by its neighbour's year."""
        rows = many_rows(40)
        write_rows(index, rows)
        fresh = [row(key, "common comet", year=1850, facets=(("venue", "new"),)) for key in (101, 102)]
        write_rows(index, fresh, 2, delete=[2, 3, 40])
        write_rows(index, [row(103, "common comet", year=1851)], 3, delete=[101])
        have = [item for item in rows if item.key not in (2, 3, 40)] + [fresh[1], row(103, year=1851)]
        assert index.keys().tolist() == sorted(item.key for item in have)
        assert by_text(index, "comet") == [102, 103]
        assert by_vector(index, unit(16), filters=Filters(venue=("new",))) == [102]
        for filters in ONE_EACH:
            wanted = sorted(item.key for item in have if passes(item, filters))
            assert sorted(by_vector(index, unit(16), filters=filters)) == wanted, filters
            assert sorted(by_text(index, "common", filters=filters)) == wanted, filters

    def test_a_row_is_replaced_under_its_key(self, index: SearchIndex) -> None:
        """Else a paper whose record was edited is found by its old venue, or twice."""
        rows = many_rows(20)
        write_rows(index, rows)
        write_rows(index, [row(7, "common comet", year=1850, vector=rows[0].vector)], 2, delete=[7])
        assert index.keys().tolist() == list(range(1, 21)) and by_text(index, "comet") == [7]
        assert by_text(index, "comet", filters=Filters(year=(1850, 1850))) == [7]
        assert set(by_vector(index, rows[0].vector, 2)) == {1, 7}

    def test_everything_deleted_leaves_a_working_index(self, index: SearchIndex) -> None:
        """Else an emptied library cannot be searched, or filled again."""
        write_rows(index, many_rows(10))
        write_rows(index, [], 2, delete=list(range(1, 11)))
        assert by_text(index, "common") == by_vector(index, unit(16)) == index.keys().tolist() == []
        assert by_vector(index, unit(16), filters=Filters(year=(2000, None))) == []
        write_rows(index, [row(11)], 3)
        assert by_text(index, "common") == by_vector(index, unit(16)) == [11]

    def test_nothing_is_seen_before_the_commit_and_all_after(self, index: SearchIndex, make_index: MakeIndex) -> None:
        """Else a search during `add` sees half of it."""
        write_rows(index, [row(1)])
        other = make_index()
        with index.writing(MODEL, DIMENSIONS) as writer:
            writer.delete(np.array([1]))
            writer.add([row(2), row(3)])
            for each in (index, other):
                assert by_text(each, "common") == by_vector(each, unit(16)) == each.keys().tolist() == [1]
            writer.commit(2)
        for each in (index, other):
            assert sorted(by_text(each, "common")) == sorted(by_vector(each, unit(16))) == [2, 3]
            assert (each.stats().rows, each.stats().change, each.stats().model) == (2, 2, MODEL)
        other.close()

    @pytest.mark.parametrize("commit", [False, True])
    def test_nothing_is_kept_without_a_commit(self, index: SearchIndex, commit: bool) -> None:
        """Else an `add` that failed half way leaves half of it to be found."""
        write_rows(index, [row(1)])
        if commit:  # an exception after the commit does not undo it
            with pytest.raises(KeyError), index.writing(MODEL, DIMENSIONS) as writer:
                writer.add([row(2)])
                writer.commit(2)
                raise KeyError
        else:
            with pytest.raises(KeyError), index.writing(MODEL, DIMENSIONS) as writer:
                writer.delete(np.array([1]))
                writer.add([row(2)])
                raise KeyError
            with index.writing(MODEL, DIMENSIONS) as writer:
                writer.add([row(2)])
        wanted = [1, 2] if commit else [1]
        assert index.keys().tolist() == sorted(by_text(index, "common")) == sorted(by_vector(index, unit(16))) == wanted
        write_rows(index, [row(3)], 3)
        assert index.keys().tolist() == [*wanted, 3]

    def test_fresh_begins_anew(self, index: SearchIndex) -> None:
        """Else `library reindex` with a model of another size fails, or mixes the vectors of two models."""
        write_rows(index, many_rows(20))
        with index.writing("other/2", 8, fresh=True) as writer:
            writer.add([row(5, vector=unit(8))])
            writer.commit(9)
        assert index.keys().tolist() == by_text(index, "common") == by_vector(index, unit(8)) == [5]
        assert (index.stats().model, index.stats().change) == ("other/2", 9)

    def test_an_empty_commit_does_not_fix_the_dimensions(self, index: SearchIndex) -> None:
        """Else a library that was searched while it was empty can never be filled."""
        with index.writing(MODEL, 1) as writer:
            writer.commit(0)
        assert by_vector(index, unit(16)) == []
        write_rows(index, [row(1)], 2)
        assert by_vector(index, unit(16)) == by_text(index, "common") == [1]

    def test_words_of_deleted_passages_are_not_counted(self, index: SearchIndex) -> None:
        """Else words that only removed papers had still weigh as known ones."""
        write_rows(index, [row(1, "quokka"), row(2, "quokka and dog"), row(3, "dog")])
        assert dead(index) == 0
        write_rows(index, [], 2, delete=[1, 2])
        assert index.frequencies(["quokka", "dog"]) == [0, 1]
        assert dead(index) in (0, 2), "an engine may keep them in its files, and then says how many"
        with index.writing(MODEL, DIMENSIONS, fresh=True) as writer:
            writer.add([row(3, "dog")])
            writer.commit(3)
        assert (index.frequencies(["quokka", "dog"]), dead(index)) == ([0, 1], 0)

    def test_deletions_add_up(self, index: SearchIndex) -> None:
        """Else the first of two deletions in one change is half forgotten."""
        write_rows(index, [row(1), row(2), row(3)])
        with index.writing(MODEL, DIMENSIONS) as writer:
            writer.delete(np.array([1]))
            writer.delete(np.array([], np.int64))
            writer.delete(np.array([3]))
            writer.commit(2)
        assert by_text(index, "common") == by_vector(index, unit(16)) == index.keys().tolist() == [2]

    def test_a_second_writer_waits(self, index: SearchIndex, make_index: MakeIndex) -> None:
        """Else two runs at a time lose each other's work."""
        other = make_index()
        began, order = threading.Event(), []

        def second() -> None:
            began.set()
            write_rows(other, [row(2)], 2)
            order.append("second")

        thread = threading.Thread(target=second)
        with index.writing(MODEL, DIMENSIONS) as writer:
            thread.start()
            assert began.wait(HANG)
            thread.join(0.3)
            order.append("first")
            writer.add([row(1)])
            writer.commit(1)
        thread.join(HANG)
        assert order == ["first", "second"]
        assert index.keys().tolist() == [1, 2]
        other.close()

    def test_it_is_there_when_opened_again(self, index: SearchIndex, make_index: MakeIndex) -> None:
        """Else a library has to be indexed anew in every process."""
        rows = many_rows(30)
        write_rows(index, rows, 7)
        index.close()
        again = make_index()
        assert again.keys().tolist() == [item.key for item in rows]
        assert (again.stats().rows, again.stats().change) == (30, 7)
        assert sorted(by_text(again, "common")) == sorted(by_vector(again, unit(16))) == again.keys().tolist()
        again.close()
