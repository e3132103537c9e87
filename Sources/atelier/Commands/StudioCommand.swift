import Arguments
import Foundation
import ModelTools
import Service
import Studio

/// `atelier studio`: starts the web interface.
enum StudioCommand: Command {
  static let syntax = CommandSyntax(
    "studio", summary: "Starts the web interface: paint, live video, train, draw, inspect models.",
    options: [
      .init("port", value: "N", help: "The port (default: 8417); 0 for any free one."),
      .init(
        "listen", value: "ADDRESS",
        help: "The IP address (default: 127.0.0.1, only this machine). On\n"
          + "any other address, visitors need a token."),
      .init("models", value: "DIR", help: "A folder of models that the studio also offers."),
      .init(
        "data", value: "DIR",
        help: "The folder for trainings and saved styles (default:\n"
          + "~/.local/share/atelier/studio)."),
      .init(
        "public-url", value: "URL",
        help: "The address at which a proxy publishes the studio, such as\n"
          + "https://paint.example/. Visitors need a token."),
      .init(
        "https",
        help: "Encrypts with a certificate that the studio makes itself.\n"
          + "Browsers of other machines, such as phones, then allow the\n"
          + "camera."),
      .init("token", help: "Visitors need a token on 127.0.0.1, too."),
      .init("open", help: "Opens the browser."),
    ],
    notes: """
      Programs can use the HTTP interface under /v1; /v1/openapi.json describes it.
      Ctrl-C and SIGTERM end the studio after it has answered all accepted requests. Trainings
      write a checkpoint before; you can resume them later.
      """)

  static func run(_ arguments: ParsedArguments) throws {
    var options = StudioOptions()
    if let port = try arguments.integer("port", in: 0...65535) { options.port = UInt16(port) }
    options.address = arguments.value("listen") ?? options.address
    options.models = arguments.value("models").map { URL(fileURLWithPath: $0, isDirectory: true) }
    if let data = arguments.value("data") {
      options.data = URL(fileURLWithPath: data, isDirectory: true)
    }
    if let models = options.models {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: models.path, isDirectory: &isFolder),
        isFolder.boolValue
      else { throw CommandError("--models '\(models.path)': there is no such folder.") }
    }
    if let text = arguments.value("public-url") {
      guard let address = PublicAddress(text) else {
        throw CommandError(
          "--public-url '\(text)': expected only a scheme and a host, such as"
            + " https://paint.example/.")
      }
      options.publicAddress = address
    }
    let isOpenToOthers: Bool =
      !AccessPolicy.isLoopback(options.address) || options.publicAddress != nil
    if isOpenToOthers || arguments.has("token") { options.token = AccessPolicy.makeToken() }
    if arguments.has("https") {
      guard options.publicAddress == nil else {
        throw UsageError("--https and --public-url exclude each other: the proxy encrypts already.")
      }
      options.certificate = try ServerCertificate.selfSigned(
        in: ModelCache.folder,
        names: ["localhost", "127.0.0.1", "::1", ProcessInfo.processInfo.hostName, options.address]
          + NetworkAddresses.ofThisMachine)
    }
    let server = try StudioServer(options)
    try server.start()
    Output.line("The studio is open: \(server.url)")
    if let address = options.publicAddress {
      Output.errorLine(
        "A proxy publishes it as \(address.origin) and connects to \(options.address), port"
          + " \(server.port). Visitors need the token in the address above, which is not shown"
          + " again.")
    } else if isOpenToOthers {
      Output.errorLine(
        "Others can reach it at \(options.address), port \(server.port). Visitors need the token in"
          + " the address above, which is not shown again."
          + (options.certificate == nil
            ? " The connection is not encrypted. With --https it is, and phones allow the camera."
            : ""))
      for address in server.urlsForOthers { Output.errorLine("On another machine: \(address)") }
    }
    if let certificate = options.certificate {
      Output.errorLine(
        "The studio made its certificate itself, so each browser warns once. Compare the SHA-256"
          + " fingerprint there: \(certificate.fingerprint)")
    }
    if arguments.has("open") { open(server.url) }
    Interruption.stoppable {
      while !Interruption.wantsToStop { usleep(50_000) }
      if !server.stop() {
        Output.errorLine(
          "The studio ended after \(Int(options.grace)) s, before it had answered all requests.")
      }
    }
  }

  /// Asks the desktop to open the address.
  private static func open(_ address: String) {
    let opener = Process()
    opener.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    opener.arguments = ["xdg-open", address]
    opener.standardOutput = FileHandle.nullDevice
    opener.standardError = FileHandle.nullDevice
    try? opener.run()
  }
}
