import Foundation
import ModelFormat

/// The styles that come with Atelier. The gallery is a folder with one folder for each style, which contains the
/// style's description and its painting. The styles share one large and one small network of several styles, whose files
/// are in the gallery's folder (``GalleryNetwork``). The folder of a style may also contain networks of its own.
public struct StyleGallery: Sendable {
  /// A style in the gallery.
  public struct Entry: Sendable {
    /// The description of the style.
    public let description: StyleDescription
    /// The folder with the style's files.
    public let folder: URL

    /// The file of the painting, with a longer side of at most 640 pixels.
    public var painting: URL { folder.appendingPathComponent(StyleDescription.paintingFile) }

    /// Returns the file of the style's large network, or of the small one for live pictures: a file in the style's
    /// folder, or else a copy of this style's network in the cache folder, which ``GalleryNetwork/export(_:to:)`` writes.
    ///
    /// - Throws: ``StyleTransferError`` if the style has no such network.
    public func model(lite: Bool) throws -> URL {
      let file: URL = try location(lite: lite)
      guard !FileManager.default.fileExists(atPath: file.path),
        let shared = try sharedNetwork(lite: lite)
      else { return file }
      return try shared.export(description.name)
    }

    /// Returns the file that ``model(lite:)`` returns, without writing it.
    public func location(lite: Bool) throws -> URL {
      let name: String = lite ? StyleDescription.liteFile : StyleDescription.modelFile
      let file: URL = folder.appendingPathComponent(name)
      if FileManager.default.fileExists(atPath: file.path) { return file }
      if let shared = try sharedNetwork(lite: lite) { return shared.location(description.name) }
      throw StyleTransferError(
        .file,
        lite
          ? "Style '\(description.name)' has no small network; leave out --lite."
          : "Style '\(description.name)' has no network in '\(folder.path)' or in the folder above it. Get the"
            + " gallery again from the repository.")
    }

    /// Whether the style has a small network for live pictures.
    public var hasLite: Bool { (try? location(lite: true)) != nil }

    private func sharedNetwork(lite: Bool) throws -> GalleryNetwork? {
      let network = try GalleryNetwork.network(lite: lite, in: folder.deletingLastPathComponent())
      return network.flatMap { $0.styles.contains(description.name) ? $0 : nil }
    }
  }

  /// The folder with the styles.
  public let folder: URL
  /// The styles, sorted by name.
  public let entries: [Entry]

  /// Reads the descriptions of the styles in a folder. Skips folders without a description.
  public init(_ folder: URL) throws {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    } catch {
      throw StyleTransferError(
        .file, "The gallery '\(folder.path)' cannot be read. Check ATELIER_GALLERY.")
    }
    self.folder = folder
    entries = try names.compactMap { (name: String) -> Entry? in
      let style: URL = folder.appendingPathComponent(name, isDirectory: true)
      let description: URL = style.appendingPathComponent(StyleDescription.descriptionFile)
      guard FileManager.default.fileExists(atPath: description.path) else { return nil }
      return Entry(description: try StyleDescription(contentsOf: description), folder: style)
    }
  }

  /// Returns the style with the given name in a gallery's folder. Reads only the description of this style.
  public static func entry(_ name: String, in folder: URL) throws -> Entry {
    let style: URL = folder.appendingPathComponent(name, isDirectory: true)
    let file: URL = style.appendingPathComponent(StyleDescription.descriptionFile)
    if !name.contains("/"), FileManager.default.fileExists(atPath: file.path),
      let description = try? StyleDescription(contentsOf: file), description.name == name
    {
      return Entry(description: description, folder: style)
    }
    return try StyleGallery(folder).entry(name)
  }

  /// Returns the style with the given name. If there is none, the error lists the styles and suggests a similar name.
  public func entry(_ name: String) throws -> Entry {
    let wanted: String = name.lowercased().replacingOccurrences(of: " ", with: "-")
    if let found = entries.first(where: { $0.description.name == wanted }) { return found }
    let known: String = entries.map(\.description.name).joined(separator: ", ")
    throw StyleTransferError(
      .input,
      "There is no style '\(name)' in the gallery '\(folder.path)'; it has "
        + (known.isEmpty ? "none." : "\(known)."))
  }
}

extension StyleGallery {
  /// The style that provides the initial weights of a training by default. Random weights would need far more steps.
  public static let firstStyle = "starry-night"

  /// Reads the network of ``firstStyle``. Returns nil if no installed gallery has it.
  public static func startingNetwork(_ algorithm: StyleAlgorithm) throws -> StyleNetwork? {
    guard let entry = try? entry(firstStyle, in: installedFolder()) else { return nil }
    let file: URL = try entry.model(lite: algorithm == .cnnLite)
    return try StyleNetwork(algorithm, reading: ModelFile.open(file).model, name: firstStyle)
  }
}

extension StyleGallery {
  /// The name of the environment variable with the gallery's folder.
  public static let variable = "ATELIER_GALLERY"

  /// Returns the gallery of this installation. Its folder is the value of `ATELIER_GALLERY`. Without that variable, it
  /// is the folder `Gallery` of the repository that the program was built in, or `share/atelier/Gallery` beside the
  /// program's `bin`.
  public static func installed(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    program: URL = StyleGallery.program
  ) throws -> StyleGallery {
    try StyleGallery(installedFolder(environment: environment, program: program))
  }

  /// Returns the folder of this installation's gallery.
  public static func installedFolder(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    program: URL = StyleGallery.program
  ) throws -> URL {
    if let named = environment[variable], !named.isEmpty {
      return URL(fileURLWithPath: named, isDirectory: true)
    }
    guard let folder = folder(near: program) else {
      throw StyleTransferError(
        .file,
        "The gallery was not found near '\(program.path)'. Set \(variable) to the folder 'Gallery' of"
          + " the repository.")
    }
    return folder
  }

  /// Searches the folders above a program for a gallery's folder. Returns nil if there is none.
  static func folder(near program: URL) -> URL? {
    var place: URL = program.resolvingSymlinksInPath().deletingLastPathComponent()
    for _ in 0..<8 {
      for path in ["Gallery", "share/atelier/Gallery"] {
        let folder: URL = place.appendingPathComponent(path, isDirectory: true)
        if hasStyles(folder) { return folder }
      }
      let parent: URL = place.deletingLastPathComponent()
      guard parent.path != place.path else { break }
      place = parent
    }
    return nil
  }

  private static func hasStyles(_ folder: URL) -> Bool {
    let names: [String] =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.contains { name in
      let description: URL = folder.appendingPathComponent(name)
        .appendingPathComponent(StyleDescription.descriptionFile)
      return FileManager.default.fileExists(atPath: description.path)
    }
  }

  /// The file of the running program.
  public static var program: URL {
    let link = "/proc/self/exe"
    let path: String? = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    return URL(fileURLWithPath: path ?? CommandLine.arguments.first ?? ".")
  }
}
