import Arguments
import Foundation
import Porting

/// `atelier port`: says how much of a package for Apple's systems compiles on Linux, and what is missing.
enum PortCommand: Command {
  static let syntax = CommandSyntax(
    "port",
    summary: "Says what is missing on Linux for a package's Swift sources to compile.",
    operands: [.init("SOURCES", help: "A folder with a Swift package, or a .swift file.")],
    options: [
      .init(
        "modules", value: "FOLDER",
        help: "The build folder with Atelier's compiled modules (default:\n"
          + "beside this program)."),
      .init("imports", help: "Reads only the imports, and compiles nothing."),
      .init("errors", help: "Prints the compiler's errors, too."),
      .init("json", help: "Prints JSON."),
    ],
    notes: """
      Each target is type-checked as one module, with AppleFoundation imported into every file. Files
      that import modules for windows or graphics processors (SwiftUI, UIKit, AppKit, Metal …) outside
      of #if are left out. Without swiftc or Atelier's modules, only the imports are read.

      Example: atelier port ../Package --errors
      """)

  static func run(_ arguments: ParsedArguments) throws {
    let root = URL(fileURLWithPath: arguments.operands[0])
    let compiler: Compiler? = try compiler(arguments)
    let report: PortReport = try Interruption.withTemporaryFolder { folder in
      try PortReport(of: root, compiler: compiler, scratch: folder) {
        if compiler != nil { Output.note("Checking \($0) …") }
      }
    }
    guard !arguments.has("json") else { return try Output.json(report) }
    for line in lines(report, showsErrors: arguments.has("errors")) { Output.line(line) }
  }

  private static func compiler(_ arguments: ParsedArguments) throws -> Compiler? {
    guard !arguments.has("imports") else { return nil }
    if let path = arguments.value("modules") {
      guard let compiler = Compiler(build: URL(fileURLWithPath: path)) else {
        throw UsageError(
          "--modules is '\(path)', expected SwiftPM's build folder of Atelier with Modules/Vision.swiftmodule,"
            + " and swiftc on the path.")
      }
      return compiler
    }
    let build: URL? = Bundle.main.executableURL?.resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let found: Compiler? = build.flatMap { Compiler(build: $0) }
    if found == nil {
      Output.note(
        "There is no swiftc, or no compiled modules of Atelier beside this program (see --modules); only"
          + " the imports are read.")
    }
    return found
  }

  private static func lines(_ report: PortReport, showsErrors: Bool) -> [String] {
    func files(_ count: Int) -> String { count == 1 ? "1 file" : "\(count) files" }
    var lines: [String] = []
    for target in report.targets {
      var line = "\(target.name): \(files(target.files))"
      if let compiling = target.compiling { line += ", \(compiling) compile" }
      if target.interfaceFiles > 0 {
        line += "; left out: \(files(target.interfaceFiles)) of the interface"
      }
      lines.append(line)
    }
    if let compiling = report.compilingCount, report.fileCount > 0 {
      let share: Double = Double(compiling) / Double(report.fileCount) * 100
      lines.append(
        "In all, \(compiling) of \(files(report.fileCount)) compile (\(share.text(decimals: 0)) %)."
      )
    }
    if !report.modules.isEmpty { lines += ["", "Missing modules:"] }
    for module in report.modules {
      lines.append("  \(module.name) (\(files(module.files))): \(module.advice)")
    }
    if !report.names.isEmpty { lines += ["", "Missing names:"] }
    for name in report.names { lines.append("  \(name.name) (\(files(name.files)))") }
    if showsErrors, !report.files.isEmpty {
      lines += ["", "Errors:"]
      for file in report.files { lines += file.errors.map { "  \(file.path): \($0)" } }
    }
    return lines
  }
}
