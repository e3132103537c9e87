import Arguments
import Foundation
import Service
import Studio

/// `atelier studio`: everything in the browser.
enum StudioCommand: Command {
  static let syntax = CommandSyntax(
    "studio", summary: "Opens the studio: paint, film live, train, draw and look in the browser.",
    options: [
      .init("port", value: "N", help: "The port; 8417 unless told otherwise, 0 for any free one."),
      .init(
        "listen", value: "ADDRESS",
        help: "The address in digits; 127.0.0.1, this machine alone, unless\n"
          + "told otherwise. Any other asks its visitors for a token."),
      .init("models", value: "DIR", help: "A folder of models that the studio shows too."),
      .init(
        "data", value: "DIR",
        help: "Where trainings and kept styles lie; ~/.local/share/atelier/\nstudio unless told"
          + " otherwise."),
      .init(
        "public-url", value: "URL",
        help: "The address by which a proxy gives the studio to others, such as\n"
          + "https://paint.example/. Asks its visitors for a token."),
      .init("token", help: "Asks for a token on 127.0.0.1 too."),
      .init("open", help: "Opens the browser."),
    ],
    notes: """
      The interface under /v1 can be used by programs: /v1/openapi.json describes it.
      Ctrl-C ends the studio; trainings write a checkpoint and can be gone on with.
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
          "--public-url '\(text)': expected the scheme and the name alone, as in"
            + " https://paint.example/.")
      }
      options.publicAddress = address
    }
    let isOpenToOthers: Bool =
      !AccessPolicy.isLoopback(options.address) || options.publicAddress != nil
    if isOpenToOthers || arguments.has("token") { options.token = AccessPolicy.makeToken() }
    let server = try StudioServer(options)
    try server.start()
    Output.line("The studio is open: \(server.url)")
    if let address = options.publicAddress {
      Output.errorLine(
        "A proxy gives it to others as \(address.origin) from \(options.address), port"
          + " \(server.port); each needs the token in the address above, which is not shown again.")
    } else if isOpenToOthers {
      Output.errorLine(
        "Others can reach it at \(options.address), port \(server.port); each needs the token in the"
          + " address above, which is not shown again. What they send is not encrypted.")
    }
    if arguments.has("open") { open(server.url) }
    Interruption.stoppable {
      while !Interruption.wantsToStop { usleep(50_000) }
      server.stop()
    }
  }

  /// Asks the desktop to show the address.
  private static func open(_ address: String) {
    let opener = Process()
    opener.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    opener.arguments = ["xdg-open", address]
    opener.standardOutput = FileHandle.nullDevice
    opener.standardError = FileHandle.nullDevice
    try? opener.run()
  }
}
