"""The server for assistants that use the Model Context Protocol, such as Claude Desktop or Cursor.

The owner of the memory comes from the command line or from a bearer token; no tool call of a model can change it.
"""

from keepsaid.errors import MissingExtra

try:
    from mcp.server import MCPServer as MCPServer  # missing in `mcp` before 2
except ImportError as missing:
    raise MissingExtra("`keepsaid mcp` needs: pip install 'keepsaid[mcp]'") from missing
