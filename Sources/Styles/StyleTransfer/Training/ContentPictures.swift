import Engine
import Foundation
import Imaging

/// The photos that a style network practises on.
///
/// Which part of which photo is seen when depends on the seed and the number of the picture alone, so
/// that a training which goes on sees what one undisturbed would have seen.
public final class ContentPictures {
  /// The files in the order of their names.
  public let files: [URL]
  private let fitting: CropAndScale?
  private let cacheLimit: Int
  private var cache: [URL: Picture] = [:]
  private var cachedBytes: Int = 0
  private var unreadable: Set<URL> = []

  /// How much larger than a crop the shorter side of a photo is kept.
  private static let headroom: Double = 4

  /// The endings that are looked for.
  public static let extensions: Set<String> = [
    "jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif", "avif", "gif",
  ]

  /// The photos of a folder, and of the folders in it.
  ///
  /// - Parameters:
  ///   - fitting: how whole photos become squares before parts are cut out; nil keeps their shapes.
  ///   - cacheLimit: the most bytes of pixels that are kept; others are read again.
  public init(folder: URL, fitting: CropAndScale? = nil, cacheLimit: Int = 512 << 20) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder),
      isFolder.boolValue,
      let found = FileManager.default.enumerator(
        at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    else {
      throw StyleTransferError(
        .file, "Content '\(folder.path)' is no folder. Name one with photos in it.")
    }
    var files: [URL] = []
    for case let file as URL in found
    where Self.extensions.contains(file.pathExtension.lowercased()) {
      files.append(file)
    }
    guard !files.isEmpty else {
      throw StyleTransferError(
        .input, "Folder '\(folder.path)' has no photos in it, which a style needs to practise on.")
    }
    self.files = files.sorted { $0.path < $1.path }
    self.fitting = fitting
    self.cacheLimit = cacheLimit
  }

  /// The names and sizes of the files, to know them again.
  public var summary: [String] {
    files.map { file in
      let size: Int = (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
      return "\(file.lastPathComponent) \(size)"
    }
  }

  /// A square part of a photo, enlarged or reduced, perhaps mirrored, perhaps exposed wrongly.
  ///
  /// Every photo is seen once before one is seen again; the order changes each time.
  ///
  /// - Parameters:
  ///   - index: the number of the picture since the training began.
  ///   - side: the side of the result in pixels.
  public func sample(_ index: Int, side: Int, seed: UInt64) throws -> Picture {
    let (round, place) = index.quotientAndRemainder(dividingBy: files.count)
    var generator = SampleGenerator(counting: UInt64(index), seed: seed)
    let first: Int = position(of: place, round: round, seed: seed)
    for step in files.indices {
      guard let photo = try picture(files[(first + step) % files.count], side: side) else {
        continue
      }
      return try part(of: photo, side: side, &generator)
    }
    throw StyleTransferError(
      .input, "None of the \(files.count) content pictures can be read. Name other ones.")
  }

  private func position(of place: Int, round: Int, seed: UInt64) -> Int {
    // A step that shares no factor with the count visits every file once.
    var generator = SampleGenerator(counting: UInt64(round), seed: ~seed)
    let start: Int = Int(generator.next() % UInt64(files.count))
    var stride: Int = 1 + Int(generator.next() % UInt64(files.count))
    while greatestCommonDivisor(stride, files.count) != 1 { stride += 1 }
    return (start + place % files.count * stride) % files.count
  }

  private func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : greatestCommonDivisor(other, one % other)
  }

  private func part(of photo: Picture, side: Int, _ generator: inout SampleGenerator) throws
    -> Picture
  {
    let shorter: Int = min(photo.width, photo.height)
    let share: Double = generator.uniform(1 / Self.headroom...1)
    let edge: Int = max(1, min(shorter, Int((share * Double(shorter)).rounded())))
    let x: Int = Int(generator.next() % UInt64(photo.width - edge + 1))
    let y: Int = Int(generator.next() % UInt64(photo.height - edge + 1))
    let isMirrored: Bool = generator.next() & 1 == 1
    let square: Picture = try photo.cropped(x: x, y: y, width: edge, height: edge)
    var result: Picture = try square.scaled(toWidth: side, height: side)
    if isMirrored { result = try result.mirrored() }
    guard let exposure = Exposure(&generator) else { return result }
    return try Picture(width: side, height: side, planes: result.planes.map { exposure($0) })
  }

  /// A photo, not much larger than crops need; nil where the file cannot be read.
  private func picture(_ file: URL, side: Int) throws -> Picture? {
    if let known = cache[file] { return known }
    guard !unreadable.contains(file) else { return nil }
    guard var photo = try? Picture(contentsOf: file).withoutAlpha else {
      unreadable.insert(file)
      return nil
    }
    let shorter: Int = min(photo.width, photo.height)
    let wanted: Int = Int((Double(side) * Self.headroom).rounded(.up))
    if let fitting {
      photo = try photo.fitted(toWidth: wanted, height: wanted, mode: fitting)
    } else if shorter > wanted {
      let factor: Double = Double(wanted) / Double(shorter)
      photo = try photo.scaled(to: photo.size.scaled(by: factor, least: wanted))
    }
    if cachedBytes + photo.estimatedBytes <= cacheLimit {
      cache[file] = photo
      cachedBytes += photo.estimatedBytes
    }
    return photo
  }
}

extension SampleGenerator {
  /// The generator of one number of a row: where the row is entered does not matter.
  init(counting index: UInt64, seed: UInt64) {
    var row = SampleGenerator(seed: seed)
    self.init(seed: row.next() ^ (index &* 0xD134_2543_DE82_EF95))
    _ = next()
  }
}

extension Picture {
  /// The picture with left and right exchanged.
  func mirrored() throws -> Picture {
    let (columns, rows) = (width, height)
    return try withPixels { (source: UnsafeBufferPointer<UInt8>) in
      try Picture(width: columns, height: rows) { (target: UnsafeMutableBufferPointer<UInt8>) in
        for row in 0..<rows {
          for column in 0..<columns {
            let from: Int = (row * columns + columns - 1 - column) * 3
            let to: Int = (row * columns + column) * 3
            for component in 0..<3 { target[to + component] = source[from + component] }
          }
        }
      }
    }
  }
}
