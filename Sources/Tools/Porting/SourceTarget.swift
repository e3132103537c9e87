import Foundation

/// Swift files that are compiled together.
public struct SourceTarget: Sendable {
  /// The name of the target's module.
  public let name: String
  /// The files, sorted by their paths.
  public let files: [URL]
  /// The language mode, 5 or 6.
  public let languageMode: Int

  /// Finds the targets below a folder, or the target of one file.
  ///
  /// Each folder in a folder `Sources` is a target. Other files are one target for each of the first two levels of
  /// folders. Tests, plug-ins and hidden folders are left out.
  ///
  /// - Throws: ``PortError`` if there is no Swift file.
  public static func targets(in root: URL) throws -> [SourceTarget] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isFolder) else {
      throw PortError("There is no file or folder '\(root.path)'.")
    }
    if !isFolder.boolValue {
      guard root.pathExtension == "swift" else {
        throw PortError("'\(root.path)' is no Swift file, expected one or a folder of Swift files.")
      }
      return [
        SourceTarget(
          name: moduleName(root.deletingPathExtension().lastPathComponent), files: [root],
          languageMode: 5)
      ]
    }
    var groups: [Place: [URL]] = [:]
    for path in try paths(below: root) {
      groups[Place(path, in: root), default: []].append(root.appendingPathComponent(path))
    }
    guard !groups.isEmpty else {
      throw PortError("'\(root.path)' contains no Swift files outside of tests.")
    }
    return groups.sorted { ($0.key.folder, $0.key.name) < ($1.key.folder, $1.key.name) }.map {
      place, files in
      SourceTarget(
        name: place.name, files: files.sorted { $0.path < $1.path },
        languageMode: languageMode(of: root.appendingPathComponent(place.folder), upTo: root))
    }
  }

  /// The folder of a target and its name.
  private struct Place: Hashable {
    let folder: String
    let name: String

    init(_ path: String, in root: URL) {
      let parts: [String] = path.split(separator: "/").map(String.init)
      if let index = parts.firstIndex(where: { $0.lowercased() == "sources" }) {
        folder = parts[...index].joined(separator: "/")
        name = moduleName(
          index + 2 < parts.count ? parts[index + 1] : root.standardizedFileURL.lastPathComponent)
      } else {
        folder = parts.dropLast().prefix(2).joined(separator: "/")
        name = moduleName(
          parts.dropLast().prefix(2).last ?? root.standardizedFileURL.lastPathComponent)
      }
    }
  }

  private static let leftOut: Set<String> = ["Tests", "Test", "Plugins", "Benchmarks", "checkouts"]

  private static func paths(below root: URL) throws -> [String] {
    guard let found = FileManager.default.enumerator(atPath: root.path) else {
      throw PortError("The folder '\(root.path)' cannot be read. Check its permissions.")
    }
    var paths: [String] = []
    for case let path as String in found where path.hasSuffix(".swift") {
      let parts: [Substring] = path.split(separator: "/")
      guard let file = parts.last,
        !file.hasPrefix("Package")
          || !file.hasPrefix("Package.swift") && !file.hasPrefix("Package@swift"),
        !parts.contains(where: {
          $0.hasPrefix(".") || leftOut.contains(String($0)) || $0.hasSuffix("Tests")
        })
      else { continue }
      paths.append(path)
    }
    return paths
  }

  /// Returns a name that a module can have.
  private static func moduleName(_ name: String) -> String {
    let letters: String = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    return letters.first?.isNumber ?? true ? "_" + letters : letters
  }

  /// Returns the language mode that the nearest `Package.swift` chooses.
  private static func languageMode(of folder: URL, upTo root: URL) -> Int {
    var folder: URL = folder.standardizedFileURL
    let end: Int = root.standardizedFileURL.pathComponents.count
    while folder.pathComponents.count >= end {
      let file: URL = folder.appendingPathComponent("Package.swift")
      if let text = try? String(contentsOf: file, encoding: .utf8) {
        if text.firstMatch(
          of: /swiftLanguage(?:Modes|Versions):\s*\[\s*\.v5|swiftLanguageMode\(\.v5\)/) != nil
        {
          return 5
        }
        let version = text.firstMatch(of: /swift-tools-version:\s*(\d+)/).flatMap { Int($0.1) } ?? 5
        return version >= 6 ? 6 : 5
      }
      folder.deleteLastPathComponent()
    }
    return 5
  }
}

/// An error of a check of sources.
public struct PortError: Error, LocalizedError, Sendable {
  /// One sentence.
  public let message: String

  init(_ message: String) { self.message = message }

  /// The message.
  public var errorDescription: String? { message }
}
