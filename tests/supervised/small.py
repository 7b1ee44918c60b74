"""Settings for tests: small networks and short rounds."""

from nhc.supervised.config import ModulesConfig, Sizes

SIZES = Sizes(equality=(4,), view=(24,), acts=(12, 8), change=(16, 12), inserts=(20, 10), mask=(24, 20))


def config(**changes: object) -> ModulesConfig:
    """A short training run in the corridor."""
    values: dict[str, object] = {
        "domain": "corridor",
        "sizes": SIZES,
        "round": 200,
        "clean_rounds": 2,
        "learning_rate": 5e-3,
        "budget": 20_000,
    }
    return ModulesConfig.model_validate({**values, **changes})
