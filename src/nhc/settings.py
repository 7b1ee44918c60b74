"""The base of every set of options that a person can choose: frozen, complete, checked, with coded errors."""

from contextvars import ContextVar

from pydantic import BaseModel, ConfigDict, ValidationError

from nhc.errors import ConfigError

_WITHIN: ContextVar[bool] = ContextVar("within", default=False)
"""Are the options of a larger set being checked? Then that set reports the faults, with their full names."""


class Settings(BaseModel):
    """Options by name. Unknown keys, numbers that are not finite and values of another type are refused.

    Whoever makes one, from Python, a file or the command line, gets ConfigError that names every fault:
    `config.key` if all of them are unknown keys, else `config.value`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)

    def __init__(self, **values: object) -> None:
        if _WITHIN.get():
            super().__init__(**values)
            return
        token = _WITHIN.set(True)
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise coded(error) from None
        finally:
            _WITHIN.reset(token)


def coded(error: ValidationError) -> ConfigError:
    """The faults that pydantic found, as an error with a code: `key: what is wrong`, each once."""
    faults = [(".".join(map(str, fault["loc"])), fault["msg"], fault["type"]) for fault in error.errors()]
    unknown = all(kind == "extra_forbidden" for _, _, kind in faults)
    text = "; ".join(
        f"{key or 'configuration'}: "
        + ("unknown key" if kind == "extra_forbidden" else message.removeprefix("Value error, "))
        for key, message, kind in faults
    )
    return ConfigError("config.key" if unknown else "config.value", text)
