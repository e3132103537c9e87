import Foundation

/// Swift files that are compiled together.
public struct SourceTarget: Sendable {
  /// The name of the target's module.
  public let name: String
  /// The files, sorted by their paths.
  public let files: [URL]
  /// The models in the target's folder and in folders without Swift files, sorted by their paths. Xcode and the plug-in
  /// `ModelClasses` write a class for each model of a target.
  let models: [URL]
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
          models: [], languageMode: 5, hasResources: false)
      ]
    }
    var groups: [Place: [URL]] = [:]
    let paths: Paths = try paths(below: root)
    let stated: [Place] = paths.swift.filter(isPackage)
      .flatMap { Place.stated(in: $0, of: root) }
      .sorted { $0.folder.count > $1.folder.count }
    func place(of path: String) -> Place {
      stated.first { path.hasPrefix($0.folder + "/") }
        ?? Place(path, in: root, projects: paths.projects)
    }
    for path in paths.swift where !isPackage(path) {
      groups[place(of: path), default: []].append(root.appendingPathComponent(path))
    }
    var models: [Place: [URL]] = [:]
    for path in paths.models {
      models[place(of: path), default: []].append(root.appendingPathComponent(path))
    }
    guard !groups.isEmpty else {
      throw PortError("'\(root.path)' contains no Swift files outside of tests.")
    }
    // An Xcode project may take a model from any folder.
    let others: [URL] = models.filter { groups[$0.key] == nil }.values.flatMap { $0 }
    let names: [Place: String] = names(of: groups.keys, stated: Set(stated))
    return groups.sorted { ($0.key.folder, $0.key.name) < ($1.key.folder, $1.key.name) }.map {
      place, files in
      let package: String? = package(of: root.appendingPathComponent(place.folder), upTo: root)
      return SourceTarget(
        name: names[place, default: place.name],
        files: files.sorted { $0.path < $1.path },
        models: (models[place, default: []] + others).sorted { $0.path < $1.path },
        languageMode: package.map(languageMode) ?? 5,
        hasResources: package?.contains("resources:") ?? false)
    }
  }

  /// Returns a name of its own for each target. Packages state names, so those targets get theirs first.
  private static func names(of places: some Sequence<Place>, stated: Set<Place>) -> [Place: String]
  {
    func order(_ place: Place) -> (Int, String, String) {
      (stated.contains(place) ? 0 : 1, place.folder, place.name)
    }
    var counts: [String: Int] = [:]
    var names: [Place: String] = [:]
    for place in places.sorted(by: { order($0) < order($1) }) {
      // A folder may have the name of a module that its files import.
      let stem: String = KnownModules.exists(place.name) ? place.name + "_" : place.name
      counts[stem, default: 0] += 1
      let number: Int = counts[stem, default: 1]
      names[place] = number == 1 ? stem : "\(stem)_\(number)"
    }
    return names
  }

  /// The folder of a target and its name.
  private struct Place: Hashable {
    let folder: String
    let name: String

    private init(folder: String, name: String) { (self.folder, self.name) = (folder, name) }

    /// Returns the targets for which a `Package.swift` states a path. A package's only target may have all files below
    /// `Sources`.
    static func stated(in package: String, of root: URL) -> [Place] {
      let file: URL = root.appendingPathComponent(package)
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
      let code: String = text.replacing(/(?m)^\s*\/\/.*$/, with: "")
      let folder: [Substring] = package.split(separator: "/").dropLast()
      func place(_ name: Substring, at path: Substring) -> Place {
        let parts: [Substring] = (folder + path.split(separator: "/")).filter { $0 != "." }
        return Place(folder: parts.joined(separator: "/"), name: moduleName(String(name)))
      }
      let stated: [Place] = code.split(separator: /\.(?:executableTarget|target|testTarget)\s*\(/)
        .dropFirst()
        .compactMap { part in
          guard let name = part.prefixMatch(of: /\s*name:\s*"([^"]+)"/),
            let path = part.firstMatch(of: /\bpath:\s*"([^"]+)"/)
          else { return nil }
          return place(name.1, at: path.1)
        }
      let targets = code.matches(of: /\.(?:executableTarget|target)\s*\(\s*name:\s*"([^"]+)"/)
      guard stated.isEmpty, targets.count == 1, let only = targets.first?.1 else { return stated }
      let own: URL = file.deletingLastPathComponent().appendingPathComponent("Sources/\(only)")
      return FileManager.default.fileExists(atPath: own.path) ? [] : [place(only, at: "Sources")]
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

  private struct Paths {
    var swift: [String] = []
    var models: [String] = []
    /// The folders that contain Xcode projects.
    var projects: Set<String> = []
  }

  /// Returns the paths of the Swift files and the models outside of tests.
  private static func paths(below root: URL) throws -> Paths {
    guard let found = FileManager.default.enumerator(atPath: root.path) else {
      throw PortError("The folder '\(root.path)' cannot be read. Check its permissions.")
    }
    var paths = Paths()
    for case let path as String in found {
      if path.hasSuffix(".xcodeproj") {
        paths.projects.insert(path.split(separator: "/").dropLast().joined(separator: "/"))
      }
      let isModel: Bool = path.hasSuffix(".mlmodel") || path.hasSuffix(".mlpackage")
      guard isModel || path.hasSuffix(".swift") else { continue }
      let folders: [Substring] = path.split(separator: "/").dropLast()
      let isLeftOut: Bool = folders.contains {
        $0.hasPrefix(".") || leftOut.contains(String($0)) || $0.hasSuffix("Tests")
          || $0.hasSuffix(".mlpackage")
      }
      guard !isLeftOut else { continue }
      if isModel { paths.models.append(path) } else { paths.swift.append(path) }
    }
    return paths
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
