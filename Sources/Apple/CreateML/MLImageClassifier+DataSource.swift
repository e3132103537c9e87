import Foundation

extension MLImageClassifier {
  /// Photos with their labels.
  public enum DataSource: Sendable {
    /// A folder with a folder of photos for each label, which is named so.
    case labeledDirectories(at: URL)
    /// A folder of photos whose names begin with their label: `cat.1.jpg`, `cat.2.jpg`.
    case labeledFiles(at: URL)
    /// The files of each label.
    case filesByLabel([String: [URL]])

    /// The files of each label, by name.
    ///
    /// - Throws: ``MLCreateError`` where a folder cannot be read, or holds no photos.
    public func labeledImages() throws -> [String: [URL]] {
      let found: [String: [URL]]
      let place: String
      switch self {
      case .labeledDirectories(let folder):
        place = "'\(folder.path)', expected a folder of photos for each label"
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
        place = "'\(folder.path)', expected photos with names such as LABEL.1.jpg"
        found = Dictionary(
          grouping: try Self.entries(of: folder).filter(Self.isPicture),
          by: { String($0.lastPathComponent.prefix { $0 != "." }) })
      case .filesByLabel(let files):
        place = "the files by label"
        found = files
      }
      let filled = found.filter { !$0.value.isEmpty }
      guard !filled.isEmpty else {
        throw MLCreateError.io(reason: "There are no photos in \(place).")
      }
      return filled
    }

    /// Parts of the photos, chosen at random and the same for one seed; each part has its share of every
    /// label.
    ///
    /// - Parameter proportions: the shares, together 1 or less.
    public func stratifiedSplit(proportions: [Double], seed: Int) throws -> [DataSource] {
      guard proportions.allSatisfy({ $0 >= 0 }), proportions.reduce(0, +) <= 1 + 1e-9 else {
        throw MLCreateError.generic(
          reason: "The proportions are \(proportions), expected shares that add up to 1 or less.")
      }
      var parts = [[String: [URL]]](repeating: [:], count: proportions.count)
      for (label, files) in try labeledImages().sorted(by: { $0.key < $1.key }) {
        var generator = SeededGenerator(seed: UInt64(bitPattern: Int64(seed)) ^ label.stableHash)
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

/// How photos are set apart for validation.
public enum MLSplitStrategy: Sendable, Hashable {
  /// A tenth of 50 photos or more, none of fewer.
  case automatic
  /// A share of the photos, chosen by a seed.
  case fixed(ratio: Double, seed: Int)
}

/// Random numbers that are the same for one seed: SplitMix64 by Steele, Lea and Flood (2014).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z: UInt64 = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension String {
  /// A number that the text gives on every run. **Source:** Fowler, Noll and Vo's FNV-1a.
  fileprivate var stableHash: UInt64 {
    utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
