import Foundation

/// Swift files that are compiled together.
public struct SourceTarget: Sendable {
  /// The name of the target's module.
  public let name: String
  /// The files, sorted by their paths.
  public let files: [URL]
  /// The language mode, 5 or 6.
  public let languageMode: Int
  /// Whether the package has resources, so that SwiftPM generates `Bundle.module`.
  let hasResources: Bool

  /// Finds the targets below a folder, or the target of one file.
  ///
  /// Folders that a `Package.swift` names are targets, and so is each folder in a folder `Sources` and each folder beside
  /// an Xcode project. Other files are one target for each of the first two levels of folders, but there a script that
  /// begins with `#!` is a target of its own. Tests, plug-ins and hidden folders are left out.
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
          languageMode: 5, hasResources: false)
      ]
    }
    var groups: [Place: [URL]] = [:]
    let (all, projects) = try paths(below: root)
    let stated: [Place] = all.filter(isPackage).flatMap { Place.stated(in: $0, of: root) }
      .sorted { $0.folder.count > $1.folder.count }
    for path in all where !isPackage(path) {
      let place: Place =
        stated.first { path.hasPrefix($0.folder + "/") }
        ?? Place(path, in: root, projects: projects)
      groups[place, default: []].append(root.appendingPathComponent(path))
    }
    guard !groups.isEmpty else {
      throw PortError("'\(root.path)' contains no Swift files outside of tests.")
    }
    var names: [String: Int] = [:]
    return groups.sorted { ($0.key.folder, $0.key.name) < ($1.key.folder, $1.key.name) }.map {
      place, files in
      names[place.name, default: 0] += 1
      let number: Int = names[place.name, default: 1]
      let package: String? = package(of: root.appendingPathComponent(place.folder), upTo: root)
      return SourceTarget(
        name: number == 1 ? place.name : "\(place.name)_\(number)",
        files: files.sorted { $0.path < $1.path },
        languageMode: package.map(languageMode) ?? 5,
        hasResources: package?.contains("resources:") ?? false)
    }
  }

  /// The folder of a target and its name.
  private struct Place: Hashable {
    let folder: String
    let name: String

    private init(folder: String, name: String) { (self.folder, self.name) = (folder, name) }

    /// Returns the targets for which a `Package.swift` states a path.
    static func stated(in package: String, of root: URL) -> [Place] {
      let file: URL = root.appendingPathComponent(package)
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
      let code: String = text.replacing(/(?m)^\s*\/\/.*$/, with: "")
      let folder: [Substring] = package.split(separator: "/").dropLast()
      return code.split(separator: /\.(?:executableTarget|target|testTarget)\s*\(/).dropFirst()
        .compactMap { part in
          guard let name = part.prefixMatch(of: /\s*name:\s*"([^"]+)"/),
            let path = part.firstMatch(of: /\bpath:\s*"([^"]+)"/)
          else { return nil }
          let parts: [Substring] = (folder + path.1.split(separator: "/")).filter { $0 != "." }
          return Place(folder: parts.joined(separator: "/"), name: moduleName(String(name.1)))
        }
    }

    init(_ path: String, in root: URL, projects: Set<String>) {
      let parts: [String] = path.split(separator: "/").map(String.init)
      let folders: [String] = parts.dropLast()
      let project: Int? = (0...folders.count).last {
        projects.contains(folders.prefix($0).joined(separator: "/"))
      }
      if let index = parts.firstIndex(where: { $0.lowercased() == "sources" }) {
        folder = parts[...index].joined(separator: "/")
        name = moduleName(
          index + 2 < parts.count ? parts[index + 1] : root.standardizedFileURL.lastPathComponent)
      } else if isScript(root.appendingPathComponent(path)) {
        folder = path
        name = moduleName(String(parts.last?.dropLast(".swift".count) ?? ""))
      } else {
        let own: ArraySlice<String> = folders.prefix(project.map { $0 + 1 } ?? 2)
        folder = own.joined(separator: "/")
        name = moduleName(own.last ?? root.standardizedFileURL.lastPathComponent)
      }
    }
  }

  /// Returns whether a file begins with `#!`.
  private static func isScript(_ file: URL) -> Bool {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
    defer { try? handle.close() }
    return (try? handle.read(upToCount: 2)) == Data("#!".utf8)
  }

  private static let leftOut: Set<String> = [
    "Tests", "Test", "tests", "Plugins", "Benchmarks", "checkouts",
  ]

  /// Returns the paths of the Swift files outside of tests, and the folders that contain Xcode projects.
  private static func paths(below root: URL) throws -> (files: [String], projects: Set<String>) {
    guard let found = FileManager.default.enumerator(atPath: root.path) else {
      throw PortError("The folder '\(root.path)' cannot be read. Check its permissions.")
    }
    var paths: [String] = []
    var projects: Set<String> = []
    for case let path as String in found {
      if path.hasSuffix(".xcodeproj") {
        projects.insert(path.split(separator: "/").dropLast().joined(separator: "/"))
      }
      guard path.hasSuffix(".swift") else { continue }
      let folders: [Substring] = path.split(separator: "/").dropLast()
      let isLeftOut: Bool = folders.contains {
        $0.hasPrefix(".") || leftOut.contains(String($0)) || $0.hasSuffix("Tests")
      }
      if !isLeftOut { paths.append(path) }
    }
    return (paths, projects)
  }

  /// Returns whether a file is the description of a package, which is no source.
  private static func isPackage(_ path: String) -> Bool {
    let name: Substring = path.split(separator: "/").last ?? ""
    return name == "Package.swift" || name.hasPrefix("Package@swift")
  }

  /// Returns a name that a module can have.
  private static func moduleName(_ name: String) -> String {
    let letters: String = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    return letters.first?.isNumber ?? true ? "_" + letters : letters
  }

  /// Returns the text of the nearest `Package.swift` in a folder or above it.
  private static func package(of folder: URL, upTo root: URL) -> String? {
    var folder: URL = folder.standardizedFileURL
    let end: Int = root.standardizedFileURL.pathComponents.count
    while folder.pathComponents.count >= end {
      let file: URL = folder.appendingPathComponent("Package.swift")
      if let text = try? String(contentsOf: file, encoding: .utf8) { return text }
      folder.deleteLastPathComponent()
    }
    return nil
  }

  /// Returns the language mode that a `Package.swift` chooses.
  private static func languageMode(_ package: String) -> Int {
    if package.firstMatch(
      of: /swiftLanguage(?:Modes|Versions):\s*\[\s*\.v5|swiftLanguageMode\(\.v5\)/) != nil
    {
      return 5
    }
    let version = package.firstMatch(of: /swift-tools-version:\s*(\d+)/).flatMap { Int($0.1) } ?? 5
    return version >= 6 ? 6 : 5
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
