# What Schemathesis cannot know about the documented operations.
import re

import schemathesis

# Rules that no schema can express: between two fields, about what a list contains at the time, and about times written as strings.
BEYOND_SCHEMAS = [
    r"bitrate_max must not be less than bitrate_min, \d+",
    r"(name|order|reverse) must be .* if there is a query.*",
    r"order must not be relevance without a query",
    r"order must not be distance without geo_lat and geo_long",
    r"(geo_lat must be given together with geo_long|geo_long must be given together with geo_lat)",
    r"geo_distance must be left out without geo_lat and geo_long",
    r"(query|order|reverse|has_geo) must be .* if there is a position.*",
    r"query must contain a letter or a digit",
    r"countrycode must be an ISO 3166-1 alpha-2 code, .*",
    r"chain must be the ID or name of a chain that a token list includes; .*",
    r"address must be .*",
    r"tokens\[\d+\] must (begin with the ID or name of a chain that a token list includes; .*|have an address of .*)",
    r"list must be .*",
    r"codec must be one of .*",
    r"(from_day|to_day) must be a day such as 2026-01-31",
    r"from_day must not be after `to_day`",
    r"days must be left out if `from_day` and `to_day` are given",
    r"period must not begin before 2009-01-01",
    r"end must not be given together with start",
    r"(timestamp|start|end) must not be in the future.*",
    r"(timestamp|start|end) must be a time in RFC 3339 format .*, not \"?\d{4}-\d\d-\d\dT.*",
]


def violations(response):
    details = response.json()["error"]["details"]
    return [one for detail in details for one in detail.get("field_violations", [])]


@schemathesis.check
def valid_input_is_accepted(ctx, response, case):
    """Fails if input that is valid by its schema is refused for another reason than the rules above."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code in (200, 404):
        return
    assert response.status_code == 400, f"status {response.status_code}: {response.text}"
    found = [f"{one['field']} {one['description']}" for one in violations(response)]
    unexpected = [text for text in found if not any(re.fullmatch(rule, text, re.DOTALL) for rule in BEYOND_SCHEMAS)]
    assert found and not unexpected, f"refused, although valid: {unexpected or response.text}"


@schemathesis.hook
def filter_case(context, case):
    """
    Leaves out what the document's introduction says and no schema does: an empty string in a body counts as left out, for numbers too. And
    numbers of an enum, which are read as in proto JSON; the schema has only its words.
    """
    body = case.body if isinstance(case.body, dict) else {}
    match = {**(case.query or {}), **body}.get("match", "")
    return not re.fullmatch(r"-?\d+(\.0)?", str(match)) and "" not in body.values()
