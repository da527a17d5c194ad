"""Long proofs in short: mischief, a board that is turned in mid-game among it, and kills."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simulation import Mischief, Script, generate

from .sharedkit import benchmark

RECORD = """\
#character-encoding UTF-8
#player1 Ann Ann
#player2 Bob Bob
>Ann: CATERSI 8G CAT +10 10
>Bob: SOXENLA J8 SOX +32 32
>Ann: ERSIDOV 10J .IS +10 20
>Bob: ENLATIG - +0 32
"""


def opening(seed: int, turns: int) -> Script:
    """The first turns of one of our own games."""
    script = generate(seed)
    return replace(script, turns=script.turns[:turns], finals={})


@pytest.mark.slow
def test_a_game_with_mischief_is_recorded_as_it_was_played():
    result = benchmark("soak").soak("game 1", opening(17, 5), 1, Mischief(turn=0.9))
    assert result.faults.total() >= 3
    assert [str(difference) for _, difference in result.differences] == []


@pytest.mark.timeout(280)
@pytest.mark.slow
def test_a_table_that_is_killed_ends_as_one_that_is_not(tmp_path):
    game = tmp_path / "short.gcg"
    game.write_text(RECORD, "utf-8")
    outcome = benchmark("kill_resume").run(
        3, seed=3, per_game=3, mischief=False, away_s=0, gcg=game
    )
    assert outcome.kills == 3
    assert outcome.differences == []
