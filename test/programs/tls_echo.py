# SPDX-License-Identifier: Apache-2.0
"""An echo over TLS by asyncio, in a process of its own; test/programs/python_programs.py starts it.

    tls_echo.py server KEY CERT                       prints its port, runs until it is ended
    tls_echo.py client CERT PORT VERSION CIPHERS N    N connections at once, to that server
    tls_echo.py both KEY CERT VERSION CIPHERS N       both ends in one process

A connection sends messages of many lengths and compares what comes back.
"""

import asyncio
import logging
import ssl
import sys

LENGTHS = [1, 15, 16, 17, 255, 256, 1000, 16383, 16384, 16385, 100000]


def server_context(key, cert):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.load_cert_chain(cert, key)
    return context


async def echo(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def serve(key, cert):
    server = await asyncio.start_server(echo, "127.0.0.1", 0, ssl=server_context(key, cert))
    return server, server.sockets[0].getsockname()[1]


async def connect(context, port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname="localhost")
    for n in LENGTHS:
        data = bytes((n + i * i) & 255 for i in range(n))
        writer.write(data)
        assert await reader.readexactly(n) == data, n
    suite = writer.get_extra_info("cipher")[0]
    writer.close()
    await writer.wait_closed()
    return suite


async def connect_all(cert, port, version, ciphers, n):
    context = ssl.create_default_context(cafile=cert)
    if version == "1.3":
        context.minimum_version = ssl.TLSVersion.TLSv1_3
    else:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    if ciphers:
        context.set_ciphers(f"{ciphers}:@SECLEVEL=0")
    suites = await asyncio.gather(*(connect(context, port) for _ in range(n)))
    print(" ".join(sorted(set(suites))), flush=True)


async def main(what, *arguments):
    if what == "server":
        server, port = await serve(*arguments)
        print(port, flush=True)
        await server.serve_forever()
    elif what == "client":
        cert, port, version, ciphers, n = arguments
        await connect_all(cert, int(port), version, ciphers, int(n))
    else:
        key, cert, version, ciphers, n = arguments
        server, port = await serve(key, cert)
        async with server:
            await connect_all(cert, port, version, ciphers, int(n))


# asyncio tells a server's failed handshakes to nobody but its debug log.
server_alone = sys.argv[1] == "server"
logging.basicConfig(level=logging.DEBUG if server_alone else logging.WARNING)
asyncio.run(main(*sys.argv[1:]), debug=server_alone)
