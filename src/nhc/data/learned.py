"""Learned data modules: Input, Transform_D, ALU and Output as feedforward networks on one-hot words.

The paper, section "Data-dependent Modules". Each output is made discrete at once (the strongest symbol of a
group, the lowest on ties; a bit is set if its logit is positive), so modules hand each other exact words.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, UInt8

from nhc.data.exact import bits_of, change_of, numbers_of
from nhc.data.networks import Network
from nhc.domains.local import WordForm, direction_of, held_in, put
from nhc.domains.protocol import BRANCHING, OPS


class LearnedModules(eqx.Module):
    """Implements `nhc.data.protocol.DataModules` with six networks.

    Input is `equality`: the differences |x - y| (differential rectifier units) -> one logit, positive if
    equal. Transform_D is `view`: a word -> the symbol of each slot in view. The ALU has `acts`: operation and
    view -> one logit, positive if anything changes (c_a), and `change`: the same -> direction and the symbols
    after the operation. Output has `inserts`: word, local change and c_a -> one logit, positive to insert
    (c_o), and `mask`: the same -> for each change the cell where it goes, or (the last) nowhere.
    """

    networks: dict[str, Network]
    form: WordForm = eqx.field(static=True)
    world: str = eqx.field(static=True)
    """Name of the domain that they were trained for."""

    @property
    def name(self) -> str:
        """For example `learned sokoban-6x6`."""
        return f"learned {self.world}"

    @property
    def word_bits(self) -> int:
        """Length of a data word."""
        return self.form.word_bits

    def equal(self, left: UInt8[Array, "*b word"], right: UInt8[Array, "*b word"]) -> Bool[Array, "*b"]:
        """Input: I_e, from the differential rectifier units relu(x - y) + relu(y - x)."""
        return self.networks["equality"](differences(left, right))[..., 0] > 0

    def view(self, word: UInt8[Array, "*b word"]) -> UInt8[Array, "*b view"]:
        """Transform_D: d_m -> d_f."""
        symbols = self.form.view_symbols
        return bits_of(strongest(self.networks["view"](word.astype(jnp.float32)), symbols), symbols)

    def alu(
        self, op: Int[Array, "*b"], view: UInt8[Array, "*b view"]
    ) -> tuple[Bool[Array, "*b"], UInt8[Array, "*b change"]]:
        """ALU: c_a decides between the action network and the slots as they are."""
        form, inputs = self.form, alu_inputs(op, view)
        changed = self.networks["acts"](inputs)[..., 0] > 0
        logits = self.networks["change"](inputs)
        direction = jnp.where(changed, logits[..., :BRANCHING].argmax(axis=-1), direction_of(op))
        held = held_in(form, numbers_of(view, form.view_symbols), op)
        after = jnp.where(changed[..., None], strongest(logits[..., BRANCHING:], form.view_symbols), held)
        return changed, change_of(form, direction, after)

    def insert(
        self, changed: Bool[Array, "*b"], change: UInt8[Array, "*b change"], word: UInt8[Array, "*b word"]
    ) -> UInt8[Array, "*b word"]:
        """Output: c_o decides between the word with the change inserted by the mask and the word."""
        form, inputs = self.form, output_inputs(changed, change, word)
        places = strongest(self.networks["mask"](inputs), form.cells + 1)
        inserts = self.networks["inserts"](inputs)[..., 0] > 0
        after = numbers_of(change[..., BRANCHING:], form.view_symbols)
        made = bits_of(put(form, numbers_of(word, len(form.symbols)), places, after), len(form.symbols))
        return jnp.where(inserts[..., None], made, word)


def differences(left: UInt8[Array, "*b word"], right: UInt8[Array, "*b word"]) -> Float[Array, "*b word"]:
    """relu(x - y) + relu(y - x), bit by bit."""
    x, y = left.astype(jnp.float32), right.astype(jnp.float32)
    return jax.nn.relu(x - y) + jax.nn.relu(y - x)


def alu_inputs(op: Int[Array, "*b"], view: UInt8[Array, "*b view"]) -> Float[Array, "*b inputs"]:
    """The operation as five one-hot bits, then the view."""
    return jnp.concatenate([jax.nn.one_hot(op, len(OPS)), view.astype(jnp.float32)], axis=-1)


def output_inputs(
    changed: Bool[Array, "*b"], change: UInt8[Array, "*b change"], word: UInt8[Array, "*b word"]
) -> Float[Array, "*b inputs"]:
    """The word, the local change, and c_a as the last bit."""
    parts = (word, change, changed[..., None])
    return jnp.concatenate([part.astype(jnp.float32) for part in parts], axis=-1)


def strongest(logits: Float[Array, "*b bits"], symbols: int) -> Int[Array, "*b groups"]:
    """The largest logit of each group of `symbols`, the lowest on ties."""
    return logits.reshape(*logits.shape[:-1], -1, symbols).argmax(axis=-1)
