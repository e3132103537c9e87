import Foundation

/// The layout of a `.mlpackage`, from its `Manifest.json`.
public struct ModelPackage {
  /// An entry of the manifest: a file or folder in `Data`.
  struct Item: Decodable {
    var path: String
    var name: String?
    var author: String?
  }

  private struct Manifest: Decodable {
    var fileFormatVersion: String?
    var itemInfoEntries: [String: Item]?
    var rootModelIdentifier: String?
  }

  /// The package's folder `Data`, which must contain all items.
  let data: URL
  /// The model file, which the manifest names as the root.
  let model: URL
  /// Every listed file and folder.
  let items: [URL]

  /// Reads and checks the manifest of the package at `url`.
  init(_ url: URL) throws {
    let name = "'\(url.lastPathComponent)'"
    func bad(_ sentence: String, _ cause: (any Error)? = nil) -> ModelFormatError {
      ModelFormatError(code: .badPackage, message: "Package \(name): \(sentence)", cause: cause)
    }
    let manifest: Manifest
    do {
      let json = try Data(contentsOfRegularFile: url.appendingPathComponent("Manifest.json"))
      manifest = try JSONDecoder().decode(Manifest.self, from: json)
    } catch {
      throw bad("Manifest.json cannot be read. The package may be incomplete.", error)
    }
    guard let version = manifest.fileFormatVersion else {
      throw bad("Manifest.json has no 'fileFormatVersion'.")
    }
    guard ["1", "0"].contains(version.split(separator: ".").first ?? "") else {
      throw bad("Manifest.json has file format version \(version), expected 1.0.0 or earlier.")
    }
    guard let entries = manifest.itemInfoEntries else {
      throw bad("Manifest.json has no 'itemInfoEntries'.")
    }
    guard let root = manifest.rootModelIdentifier else {
      throw bad("Manifest.json has no 'rootModelIdentifier', so it names no model.")
    }
    guard let rootItem = entries[root] else {
      throw bad("Manifest.json names the model \(root), but lists no such item.")
    }
    let data: URL = url.appendingPathComponent("Data", isDirectory: true)
    guard data.lies(within: url) else {
      throw bad("its folder Data is a link that leads out of it.")
    }
    func location(of item: Item) throws -> URL {
      let file: URL = data.appendingPathComponent(item.path)
      guard !item.path.isEmpty, !item.path.hasPrefix("/"),
        !item.path.split(separator: "/").contains(".."), file.lies(within: data)
      else {
        throw bad("the item '\(item.path)' is outside of the package's Data folder.")
      }
      guard FileManager.default.fileExists(atPath: file.path) else {
        throw bad("the item '\(item.path)' is missing. The package may be incomplete.")
      }
      return file
    }
    self.data = data
    model = try location(of: rootItem)
    items = try entries.sorted { $0.key < $1.key }.map { try location(of: $0.value) }
  }
}
