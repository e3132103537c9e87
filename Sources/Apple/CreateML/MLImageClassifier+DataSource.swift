import Foundation
import Platform
import Tensors

extension MLImageClassifier {
  /// A source of labelled photos.
  public enum DataSource: Sendable {
    /// A folder with one subfolder of photos for each label. The label is the name of the subfolder.
    case labeledDirectories(at: URL)
    /// A folder of photos. The label of a photo is the part of its name before the first full stop, as in `cat.1.jpg`.
    case labeledFiles(at: URL)
    /// The files of each label.
    case filesByLabel([String: [URL]])

    /// Returns a dictionary from each label to its photos.
    ///
    /// - Throws: ``MLCreateError`` when a folder cannot be read or has no photos.
    public func labeledImages() throws -> [String: [URL]] {
      let found: [String: [URL]]
      let location: String
      switch self {
      case .labeledDirectories(let folder):
        location = "'\(folder.path)', expected a folder of photos for each label"
        var byLabel: [String: [URL]] = [:]
        for entry in try Self.entries(of: folder) {
          var isFolder: ObjCBool = false
          guard FileManager.default.fileExists(atPath: entry.path, isDirectory: &isFolder),
            isFolder.boolValue
          else { continue }
          byLabel[entry.lastPathComponent] = try Self.entries(of: entry).filter(Self.isPicture)
        }
        found = byLabel
      case .labeledFiles(let folder):
        location = "'\(folder.path)', expected photos with names such as LABEL.1.jpg"
        found = Dictionary(
          grouping: try Self.entries(of: folder).filter(Self.isPicture),
          by: { String($0.lastPathComponent.prefix { $0 != "." }) })
      case .filesByLabel(let files):
        location = "the files by label"
        found = files
      }
      let filled = found.filter { !$0.value.isEmpty }
      guard !filled.isEmpty else {
        throw MLCreateError.io(reason: "There are no photos in \(location).")
      }
      return filled
    }

    /// Splits the photos into parts at random. A part gets its fraction of the photos of every label. Equal seeds give
    /// equal parts.
    ///
    /// - Parameter proportions: The fraction of the photos for each part. The sum of the fractions is at most 1.
    public func stratifiedSplit(proportions: [Double], seed: Int) throws -> [DataSource] {
      guard proportions.allSatisfy({ $0 >= 0 }), proportions.reduce(0, +) <= 1 + 1e-9 else {
        throw MLCreateError.generic(
          reason:
            "The proportions are \(proportions), expected numbers from 0 with a sum of at most 1.")
      }
      var parts = [[String: [URL]]](repeating: [:], count: proportions.count)
      for (label, files) in try labeledImages().sorted(by: { $0.key < $1.key }) {
        var generator = SplitMix64(seed: UInt64(bitPattern: Int64(seed)) ^ FNV1a(label.utf8).value)
        let shuffled: [URL] = files.sorted { $0.path < $1.path }.shuffled(using: &generator)
        var start: Int = 0
        var share: Double = 0
        for (number, proportion) in proportions.enumerated() {
          share += proportion
          let end: Int = min(shuffled.count, Int((share * Double(shuffled.count)).rounded()))
          if end > start { parts[number][label] = Array(shuffled[start..<end]) }
          start = max(start, end)
        }
      }
      return parts.map { .filesByLabel($0) }
    }

    private static func entries(of folder: URL) throws -> [URL] {
      do {
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
          .filter { !$0.hasPrefix(".") }.map { folder.appendingPathComponent($0) }
      } catch {
        throw MLCreateError.io(reason: "The folder '\(folder.path)' cannot be read.")
      }
    }

    private static func isPicture(_ file: URL) -> Bool {
      ["jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif", "avif", "gif"]
        .contains(file.pathExtension.lowercased())
    }
  }
}

/// How the photos for validation are chosen.
public enum MLSplitStrategy: Sendable, Hashable {
  /// 10 % of the photos if there are 50 or more. No photos otherwise.
  case automatic
  /// A fraction of the photos, chosen at random with a seed.
  case fixed(ratio: Double, seed: Int)
}
