"""What weights decide where the free head may store nothing, for the check of a certificate."""

from nhc.certify.checker import NONE, Control, Seen, said


class GatedControl(Control):
    """Control with a learned write gate, open above 0. Words that are not written have no margin."""

    def _written(self, state: Seen) -> tuple[int, int]:
        """See `Control`; no word of the free head where its gate is shut."""
        values = self.at(state)
        (gate,), (off,) = self.layer("interface.write.gate", values["signals"], values["hidden"])
        self.note("gate", abs(gate), off, f"{said(state)}, write gate")
        return self.word(state, "constrained"), self.word(state, "write") if gate > 0 else NONE
