import Foundation
import ModelFormat

/// The styles that come with Atelier: a folder with one folder a style, each with networks and a card.
public struct StyleGallery: Sendable {
  /// A style in the gallery.
  public struct Entry: Sendable {
    /// What is known of it.
    public let card: StyleCard
    /// Where its files are.
    public let folder: URL

    /// The network's file: the large one, or the small one for live pictures.
    public func model(lite: Bool) throws -> URL {
      let name: String = lite ? StyleCard.liteFile : StyleCard.modelFile
      let file: URL = folder.appendingPathComponent(name)
      guard FileManager.default.fileExists(atPath: file.path) else {
        throw StyleTransferError(
          .file,
          lite
            ? "Style '\(card.name)' has no small network; leave --lite out."
            : "Style '\(card.name)' has no '\(name)' in '\(folder.path)'. Get the folder again from"
              + " the repository.")
      }
      return file
    }
  }

  /// Where the styles are.
  public let folder: URL
  /// The styles by name.
  public let entries: [Entry]

  /// The styles in a folder. Folders without a card are left out.
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
      let card: URL = style.appendingPathComponent(StyleCard.cardFile)
      guard FileManager.default.fileExists(atPath: card.path) else { return nil }
      return Entry(card: try StyleCard(contentsOf: card), folder: style)
    }
  }

  /// The style of a name in a folder, of which only its own card is read.
  public static func entry(_ name: String, in folder: URL) throws -> Entry {
    let style: URL = folder.appendingPathComponent(name, isDirectory: true)
    let file: URL = style.appendingPathComponent(StyleCard.cardFile)
    if !name.contains("/"), FileManager.default.fileExists(atPath: file.path),
      let card = try? StyleCard(contentsOf: file), card.name == name
    {
      return Entry(card: card, folder: style)
    }
    return try StyleGallery(folder).entry(name)
  }

  /// The style of a name; the error says which there are, and which may have been meant.
  public func entry(_ name: String) throws -> Entry {
    let wanted: String = name.lowercased().replacingOccurrences(of: " ", with: "-")
    if let found = entries.first(where: { $0.card.name == wanted }) { return found }
    let known: String = entries.map(\.card.name).joined(separator: ", ")
    throw StyleTransferError(
      .input,
      "There is no style '\(name)' in the gallery '\(folder.path)'; it has "
        + (known.isEmpty ? "none." : "\(known)."))
  }
}

extension StyleGallery {
  /// The style that a training starts from unless it is told otherwise: most of what its network learned,
  /// another style needs too.
  public static let firstStyle = "starry-night"

  /// The network of ``firstStyle``; nil where no gallery with it is installed.
  public static func startingNetwork(_ algorithm: StyleAlgorithm) throws -> StyleNetwork? {
    guard let entry = try? entry(firstStyle, in: installedFolder()) else { return nil }
    let file: URL = try entry.model(lite: algorithm == .cnnLite)
    return try StyleNetwork(algorithm, reading: ModelFile.open(file).model, name: firstStyle)
  }
}

extension StyleGallery {
  /// The variable that names the gallery's folder.
  public static let variable = "ATELIER_GALLERY"

  /// The gallery of this installation: the folder that `ATELIER_GALLERY` names, the `Gallery` of the
  /// repository that the program was built in, or `share/atelier/Gallery` beside the program's `bin`.
  public static func installed(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    program: URL = StyleGallery.program
  ) throws -> StyleGallery {
    try StyleGallery(installedFolder(environment: environment, program: program))
  }

  /// Where the gallery of this installation is.
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

  /// The gallery that belongs to a program, if there is one.
  static func folder(near program: URL) -> URL? {
    var place: URL = program.resolvingSymlinksInPath().deletingLastPathComponent()
    for _ in 0..<8 {
      for path in ["Gallery", "share/atelier/Gallery"] {
        let folder: URL = place.appendingPathComponent(path, isDirectory: true)
        if hasCards(folder) { return folder }
      }
      let parent: URL = place.deletingLastPathComponent()
      guard parent.path != place.path else { break }
      place = parent
    }
    return nil
  }

  private static func hasCards(_ folder: URL) -> Bool {
    let names: [String] =
      (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.contains { name in
      let card: URL = folder.appendingPathComponent(name)
        .appendingPathComponent(StyleCard.cardFile)
      return FileManager.default.fileExists(atPath: card.path)
    }
  }

  /// The file of the program that runs.
  public static var program: URL {
    let link = "/proc/self/exe"
    let path: String? = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
    return URL(fileURLWithPath: path ?? CommandLine.arguments.first ?? ".")
  }
}
