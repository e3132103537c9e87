import Foundation
import ModelClasses

/// How much of a package's sources compiles on Linux, and what is missing.
public struct PortReport: Encodable, Sendable {
  /// A target.
  public struct Target: Encodable, Sendable {
    /// The name of the target's module.
    public let name: String
    /// The number of files, without those of the interface.
    public let files: Int
    /// The number of files without an error. Nil if only the imports were read.
    public let compiling: Int?
    /// The files that import modules for windows or graphics processors.
    public let interfaceFiles: Int
  }

  /// A module that does not exist on Linux.
  public struct Module: Encodable, Sendable {
    /// The module.
    public let name: String
    /// The number of files that import it outside of `#if`.
    public let files: Int
    /// What to write instead.
    public let advice: String
  }

  /// A name that the compiler does not find.
  public struct Name: Encodable, Sendable {
    /// The name, or the type and its member.
    public let name: String
    /// The number of files that use it.
    public let files: Int
  }

  /// A file that does not compile.
  public struct File: Encodable, Sendable {
    /// The path.
    public let path: String
    /// The messages of the compiler, with their lines.
    public let errors: [String]
  }

  /// The targets, by their folders.
  public fileprivate(set) var targets: [Target] = []
  /// The missing modules, most files first.
  public fileprivate(set) var modules: [Module] = []
  /// The missing names, most files first. Empty if only the imports were read.
  public fileprivate(set) var names: [Name] = []
  /// The files that do not compile. Empty if only the imports were read.
  public fileprivate(set) var files: [File] = []
  /// Whether the compiler checked the sources. If not, only the imports were read.
  public let isCompiled: Bool

  /// The number of files, without those of the interface.
  public var fileCount: Int { targets.reduce(0) { $0 + $1.files } }
  /// The number of files without an error. Nil if only the imports were read.
  public var compilingCount: Int? {
    isCompiled ? targets.reduce(0) { $0 + ($1.compiling ?? 0) } : nil
  }

  /// Checks the sources below a folder, or one file.
  ///
  /// - Parameters:
  ///   - compiler: The compiler. Nil to read only the imports.
  ///   - scratch: An empty folder for temporary files, which the caller removes.
  ///   - progress: Called with the name of each target before it is checked.
  public init(
    of root: URL, compiler: Compiler?, scratch: URL, progress: (String) -> Void = { _ in }
  ) throws {
    isCompiled = compiler != nil
    let targets: [SourceTarget] = try SourceTarget.targets(in: root)
    let clang = try ClangTargets(below: root, scratch: scratch)
    let own = Set(targets.map(\.name)).union(clang.names)
    var check = TargetCheck(compiler: compiler, own: own, clang: clang, scratch: scratch)
    for target in Self.inOrder(targets) {
      progress(target.name)
      try check.add(target, from: root)
    }
    self.targets = targets.compactMap { target in check.targets.first { $0.name == target.name } }
    modules = check.modules.map {
      Module(name: $0.key, files: $0.value, advice: KnownModules.advice(for: $0.key))
    }.sorted { ($1.files, $0.name) < ($0.files, $1.name) }
    names = check.names.map { Name(name: $0.key, files: $0.value) }
      .sorted { ($1.files, $0.name) < ($0.files, $1.name) }
    files = check.files
  }

  /// Sorts targets so that each comes after those that it imports, as far as they do not import each other.
  private static func inOrder(_ targets: [SourceTarget]) -> [SourceTarget] {
    let byName = Dictionary(targets.map { ($0.name, $0) }) { first, _ in first }
    var sorted: [SourceTarget] = []
    var seen: Set<String> = []
    func visit(_ target: SourceTarget) {
      guard seen.insert(target.name).inserted else { return }
      let imports = Set(
        target.files.flatMap { SourceImports(source: text(of: $0)).all })
      for name in imports.sorted() {
        if let other = byName[name] { visit(other) }
      }
      sorted.append(target)
    }
    targets.forEach(visit)
    return sorted
  }

  fileprivate static func text(of file: URL) -> String {
    String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
  }
}

/// The C modules of a package: folders `include` in targets.
struct ClangTargets {
  let names: Set<String>
  /// The options with which the compiler finds the modules.
  let options: [String]

  init(below root: URL, scratch: URL) throws {
    var names: Set<String> = []
    var options: [String] = []
    let found = FileManager.default.enumerator(atPath: root.path)
    while let path = found?.nextObject() as? String {
      let parts: [Substring] = path.split(separator: "/")
      guard parts.last == "include", parts.count >= 2,
        !parts.contains(where: { $0.hasPrefix(".") }),
        parts.dropLast(2).last == "Sources"
      else { continue }
      let folder: URL = root.appendingPathComponent(path)
      var map: URL = folder.appendingPathComponent("module.modulemap")
      let name = String(parts[parts.count - 2])
      if !FileManager.default.fileExists(atPath: map.path) {
        map = scratch.appendingPathComponent("\(name).modulemap")
        try Data("module \(name) { umbrella \"\(folder.path)\" export * }\n".utf8).write(to: map)
      }
      names.insert(name)
      options += ["-Xcc", "-fmodule-map-file=\(map.path)", "-Xcc", "-I\(folder.path)"]
    }
    (self.names, self.options) = (names, options)
  }
}

/// Checks targets one after another.
struct TargetCheck {
  let compiler: Compiler?
  /// The modules of the package itself.
  let own: Set<String>
  let clang: ClangTargets
  let scratch: URL

  var targets: [PortReport.Target] = []
  var modules: [String: Int] = [:]
  var names: [String: Int] = [:]
  var files: [PortReport.File] = []

  /// Checks a target.
  ///
  /// The compiler stops at an import of a missing module. So it gets copies of such files without these imports, and
  /// names the missing declarations. Other files may need what files of the interface declare, so the compiler gets
  /// copies of these, too. Their own errors do not matter.
  mutating func add(_ target: SourceTarget, from root: URL) throws {
    let folder: URL = scratch.appendingPathComponent("copies-\(target.name)")
    var checked: [URL] = []
    var interface: [URL] = []
    var originals: [String: URL] = [:]
    var broken: [URL: [String]] = [:]
    for file in target.files {
      let text: String = PortReport.text(of: file)
      let imports = SourceImports(source: text)
      let missing: Set<String> = Set(imports.always).filter {
        !KnownModules.exists($0) && !own.contains($0)
      }
      if imports.always.contains(where: KnownModules.interface.contains) {
        let name = "interface-\(interface.count)-\(file.lastPathComponent)"
        interface.append(try write(text, without: missing, to: folder, name: name))
        continue
      }
      for module in missing { modules[module, default: 0] += 1 }
      guard !missing.isEmpty else {
        checked.append(file)
        originals[file.path] = file
        continue
      }
      broken[file] = missing.sorted().map { "there is no module '\($0)' on Linux" }
      // Files of different folders may have the same name, but the compiler requires different names anyway.
      let copy: URL = try write(text, without: missing, to: folder, name: file.lastPathComponent)
      checked.append(copy)
      originals[copy.path] = file
    }
    let count: Int = target.files.count - interface.count
    if target.hasResources, !checked.isEmpty {
      interface.append(try writeBundleAccessor(to: folder))
    }
    if compiler != nil, !checked.isEmpty {
      interface += try writeModelClasses(of: target, to: folder)
    }
    guard let compiler, !checked.isEmpty else {
      targets.append(
        .init(
          name: target.name, files: count, compiling: compiler == nil ? nil : 0,
          interfaceFiles: interface.count))
      return
    }
    let output: String = try compiler.check(
      checked, and: interface, name: target.name, languageMode: target.languageMode,
      searched: ["-I", scratch.path] + clang.options,
      module: scratch.appendingPathComponent("\(target.name).swiftmodule"))
    record(output, originals, &broken)
    targets.append(
      .init(
        name: target.name, files: count, compiling: count - broken.count,
        interfaceFiles: interface.count))
    for file in target.files {
      guard let errors = broken[file] else { continue }
      files.append(.init(path: Self.relative(file, to: root), errors: errors))
    }
  }

  /// Writes the file that SwiftPM generates for targets with resources.
  private func writeBundleAccessor(to folder: URL) throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file: URL = folder.appendingPathComponent("resource_bundle_accessor.swift")
    let text = "import Foundation\nextension Bundle { static var module: Bundle { .main } }\n"
    try Data(text.utf8).write(to: file)
    return file
  }

  /// Writes the classes that Xcode and the plug-in `ModelClasses` write for models. There is none for a model whose class
  /// the sources do not name or declare themselves, and none for a file that is no model, such as a pointer of Git LFS.
  private func writeModelClasses(of target: SourceTarget, to folder: URL) throws -> [URL] {
    guard !target.models.isEmpty else { return [] }
    let texts: [String] = target.files.map { PortReport.text(of: $0) }
    var made: [URL] = []
    for model in target.models {
      let name: String = ModelClass.name(of: model)
      let file: URL = folder.appendingPathComponent("model-\(name).swift")
      guard texts.contains(where: { $0.contains(name) }),
        !texts.contains(where: { $0.contains("class \(name)Input") }), !made.contains(file),
        let written = Self.modelClass(model)
      else { continue }
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(written.source.utf8).write(to: file)
      made.append(file)
    }
    return made
  }

  /// Reads a model's class. A package may lack its weights, which the class does not need.
  private static func modelClass(_ model: URL) -> ModelClass? {
    if let made = try? ModelClass(model, isPublic: true) { return made }
    return try? ModelClass(
      model.appendingPathComponent("Data/com.apple.CoreML/model.mlmodel"),
      name: model.deletingPathExtension().lastPathComponent, isPublic: true)
  }

  /// Writes a source without the lines that import some modules.
  private func write(
    _ text: String, without modules: Set<String>, to folder: URL, name: String
  ) throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let copy: URL = folder.appendingPathComponent(name)
    try Data(Self.without(modules, text).utf8).write(to: copy)
    return copy
  }

  /// Adds the errors in the compiler's output.
  private mutating func record(
    _ output: String, _ originals: [String: URL], _ broken: inout [URL: [String]]
  ) {
    var namesOfFiles: [URL: Set<String>] = [:]
    var seen: Set<Substring> = []
    for line in output.split(separator: "\n") where seen.insert(line).inserted {
      guard let match = line.firstMatch(of: /^(\/[^:]+\.swift):(\d+):\d+: error: (.*)$/),
        let file = originals[String(match.1)]
      else { continue }
      broken[file, default: []].append("line \(match.2): \(KnownModules.advised(match.3))")
      if let name = Self.missingName(match.3) { namesOfFiles[file, default: []].insert(name) }
    }
    for name in namesOfFiles.values.joined() { names[name, default: 0] += 1 }
  }

  /// Returns the name that an error says is missing. Nil for other errors.
  static func missingName(_ message: Substring) -> String? {
    if let match = message.firstMatch(of: /cannot find (?:type )?'([^']+)' in scope/) {
      return String(match.1)
    }
    if let match = message.firstMatch(of: /(?:of type|type) '([^']+)' has no member '([^']+)'/) {
      return "\(match.1).\(match.2)"
    }
    return nil
  }

  /// Returns a text in which the lines that import modules are empty.
  static func without(_ modules: Set<String>, _ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let imports: [String] = SourceImports(source: String(line)).all
      return imports.contains(where: modules.contains) ? "" : line
    }.joined(separator: "\n")
  }

  private static func relative(_ file: URL, to root: URL) -> String {
    let start: String = root.standardizedFileURL.path + "/"
    let path: String = file.standardizedFileURL.path
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path
  }
}
