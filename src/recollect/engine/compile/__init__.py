"""The compiler: from a conversation and what was found to the prompt that fits a budget. Pure, and in two steps: `plan`
settles what of the conversation goes in, `compiled` adds the rest and counts."""

from recollect.engine.compile.plan import Order, Plan, Talk, Told, plan
from recollect.engine.compile.prompt import Compiled, Offer, Parts, assembled, compiled

__all__ = ["Compiled", "Offer", "Order", "Parts", "Plan", "Talk", "Told", "assembled", "compiled", "plan"]
