import Foundation
import Platform
import Tensors

/// The files of each label, for classifiers of photos, sounds and actions.
struct LabelledFiles {
  /// The kind of files.
  enum Kind: String {
    case photos, sounds, poses

    var fileExtensions: Set<String> {
      switch self {
      case .photos: ["jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif", "avif", "gif"]
      case .sounds: ["wav", "wave", "aif", "aiff", "caf", "flac", "ogg", "oga", "mp3"]
      case .poses: ["json"]
      }
    }

    func includes(_ file: URL) -> Bool {
      fileExtensions.contains(file.pathExtension.lowercased())
    }
  }

  let byLabel: [String: [URL]]

  /// Leaves out labels without files.
  ///
  /// - Throws: ``MLCreateError`` if no label has files. The error names the location.
  init(_ files: [String: [URL]], kind: Kind, location: String = "the files by label") throws {
    byLabel = files.filter { !$0.value.isEmpty }
    guard !byLabel.isEmpty else {
      throw MLCreateError.io(reason: "There are no \(kind.rawValue) in \(location).")
    }
  }

  /// Reads a folder with one subfolder for each label.
  init(directories folder: URL, kind: Kind) throws {
    var byLabel: [String: [URL]] = [:]
    for entry in try Self.entries(of: folder) {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: entry.path, isDirectory: &isFolder),
        isFolder.boolValue
      else { continue }
      byLabel[entry.lastPathComponent] = try Self.entries(of: entry).filter(kind.includes)
    }
    try self.init(
      byLabel, kind: kind,
      location: "'\(folder.path)', expected a folder of \(kind.rawValue) for each label")
  }

  /// Reads a folder of files whose names begin with the label and a full stop.
  init(folder: URL, kind: Kind) throws {
    let files: [URL] = try Self.entries(of: folder).filter(kind.includes)
    try self.init(
      Dictionary(grouping: files) { String($0.lastPathComponent.prefix { $0 != "." }) },
      kind: kind,
      location: "'\(folder.path)', expected \(kind.rawValue) with names such as LABEL.1."
        + (kind == .photos ? "jpg" : "wav"))
  }

  /// Splits the files into parts at random. A part gets its fraction of the files of every label. Equal seeds give equal
  /// parts.
  func split(proportions: [Double], seed: Int) throws -> [[String: [URL]]] {
    guard proportions.allSatisfy({ $0 >= 0 }), proportions.reduce(0, +) <= 1 + 1e-9 else {
      throw MLCreateError.generic(
        reason:
          "The proportions are \(proportions), expected numbers from 0 with a sum of at most 1.")
    }
    var parts = [[String: [URL]]](repeating: [:], count: proportions.count)
    for (label, files) in byLabel.sorted(by: { $0.key < $1.key }) {
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
    return parts
  }

  /// Splits the files into those for training and those for validation.
  func split(_ strategy: MLSplitStrategy) throws -> (
    training: [String: [URL]], validation: [String: [URL]]
  ) {
    let (ratio, seed): (Double, Int)
    switch strategy {
    case .automatic:
      guard byLabel.values.reduce(0, { $0 + $1.count }) >= 50 else { return (byLabel, [:]) }
      (ratio, seed) = (0.1, 0)
    case .fixed(let wanted, let given): (ratio, seed) = (wanted, given)
    }
    guard ratio > 0, ratio < 1 else {
      throw MLCreateError.generic(
        reason: "The fraction of files for validation is \(ratio), expected more than 0 and less"
          + " than 1.")
    }
    let parts = try split(proportions: [1 - ratio, ratio], seed: seed)
    guard !parts[0].isEmpty else {
      throw MLCreateError.generic(
        reason: "With a fraction of \(ratio) for validation, no file is left for training.")
    }
    return (parts[0], parts[1])
  }

  private static func entries(of folder: URL) throws -> [URL] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        .filter { !$0.hasPrefix(".") }.map { folder.appendingPathComponent($0) }
    } catch {
      throw MLCreateError.io(reason: "The folder '\(folder.path)' cannot be read.")
    }
  }
}
