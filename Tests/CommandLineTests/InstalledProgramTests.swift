import Foundation
import Testing

/// Tests the program that `make install` and the packages install. Scripts/link_program.sh links it.
@Suite("The installed program")
struct InstalledProgramTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The path of the linked file. Nil before `make installed` was run.
  private static let library: String? = {
    let path: String = root.appendingPathComponent(".build/installed/libatelier.so").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }()

  /// The folder of the toolchain's static libraries. Nil if the toolchain has none.
  private static let staticLibraries: String? = {
    guard let compiler = try? output("sh", ["-c", "readlink -f \"$(command -v swiftc)\""]) else {
      return nil
    }
    let usr: URL = URL(fileURLWithPath: compiler.trimmingCharacters(in: .whitespacesAndNewlines))
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder: String = usr.appendingPathComponent("lib/swift_static/linux").path
    return FileManager.default.fileExists(atPath: "\(folder)/lib_FoundationICU.a") ? folder : nil
  }()

  private static func output(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data: Data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  @Test(
    "Foundation carries ICU's tables under one symbol, which the installed program replaces",
    .enabled(if: staticLibraries != nil))
  func tableOfICU() throws {
    let folder: String = try #require(Self.staticLibraries)
    let symbols: String = try Self.output("nm", ["\(folder)/lib_FoundationICU.a"])
    let defined: [Substring] = symbols.split(separator: "\n").filter {
      $0.contains(" R icudt") && $0.hasSuffix("_dat")
    }
    #expect(defined.count == 1)
  }

  @Test("It needs no function that is younger than glibc 2.34", .enabled(if: library != nil))
  func versionsOfTheCLibrary() throws {
    let symbols: String = try Self.output("objdump", ["-T", try #require(Self.library)])
    let versions: [Int] = symbols.matches(of: /GLIBC_2\.(\d+)/).compactMap { Int($0.1) }
    #expect(versions.count > 100)
    #expect(try #require(versions.max()) <= 34)
    #expect(!symbols.contains("GLIBCXX"))
  }

  @Test("It needs the C library and nothing else", .enabled(if: library != nil))
  func neededLibraries() throws {
    let sections: String = try Self.output("readelf", ["-d", try #require(Self.library)])
    let needed: Set<String> = Set(
      sections.matches(of: /\(NEEDED\).*\[(.*)\]/).map { String($0.1) })
    #expect(
      needed.isSubset(of: ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"]))
    #expect(needed.contains("libc.so.6"))
  }

  @Test("It shows the functions of atelier.h and no other", .enabled(if: library != nil))
  func exports() throws {
    let symbols: String = try Self.output(
      "nm", ["-D", "--defined-only", try #require(Self.library)])
    let names: [Substring] = symbols.split(separator: "\n").compactMap {
      $0.split(separator: " ").last
    }
    #expect(names.contains("atelier_predict"))
    #expect(names.allSatisfy { $0.hasPrefix("atelier_") })
  }

  @Test("The library is also the program", .enabled(if: library != nil))
  func program() throws {
    let version: String = try Self.output(try #require(Self.library), ["--version"])
    #expect(version.hasPrefix("atelier "))
  }
}
