import Engine
import Foundation
import Imaging

/// The training photos of a style network.
///
/// The crop at an index depends only on the index and the seed. So a resumed training gets the same crops as an
/// uninterrupted one.
public final class ContentPictures {
  /// The files of the photos, sorted by name.
  public let files: [URL]
  private let selection: PhotoSelection
  private let fitting: CropAndScale?
  private let cacheLimit: Int
  private var cache: [URL: Picture] = [:]
  private var cachedBytes: Int = 0
  private var unreadable: Set<URL> = []

  /// The file name extensions by which photos in the folder are recognised.
  public static let extensions: Set<String> = [
    "jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif", "avif", "gif",
  ]

  /// Lists the photos of a folder and of its subfolders.
  ///
  /// - Parameters:
  ///   - selection: Which part of a photo is a crop, and how often crops are over- or underexposed.
  ///   - fitting: How photos are fitted to squares before they are cropped. Nil keeps their aspect ratios.
  ///   - cacheLimit: The most bytes of cached pixels. Photos that do not fit into the cache are read again for each
  ///     crop.
  public init(
    folder: URL, selection: PhotoSelection = TrainingRecipe.standard.photos,
    fitting: CropAndScale? = nil, cacheLimit: Int = 512 << 20
  ) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder),
      isFolder.boolValue,
      let found = FileManager.default.enumerator(
        at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    else {
      throw StyleTransferError(
        .file, "Content '\(folder.path)' is not a folder. Name a folder with photos.")
    }
    var files: [URL] = []
    for case let file as URL in found
    where Self.extensions.contains(file.pathExtension.lowercased()) {
      files.append(file)
    }
    guard !files.isEmpty else {
      throw StyleTransferError(
        .input, "Folder '\(folder.path)' contains no photos, but training a style needs some.")
    }
    self.files = files.sorted { $0.path < $1.path }
    self.selection = selection
    self.fitting = fitting
    self.cacheLimit = cacheLimit
  }

  /// The names and sizes of the files. A resumed training checks that they are the same.
  public var summary: [String] {
    files.map { file in
      let size: Int = (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
      return "\(file.lastPathComponent) \(size)"
    }
  }

  /// Returns a random square crop of a photo, scaled to `side`. At random, it is also mirrored and over- or
  /// underexposed (``PhotoSelection``).
  ///
  /// Each epoch uses every photo once. The order differs between epochs.
  ///
  /// - Parameters:
  ///   - index: The index of the crop since the training began.
  ///   - side: The side of the result in pixels.
  public func sample(_ index: Int, side: Int, seed: UInt64) throws -> Picture {
    let (round, offset) = index.quotientAndRemainder(dividingBy: files.count)
    var generator = SplitMix64(counting: UInt64(index), seed: seed)
    let first: Int = position(of: offset, round: round, seed: seed)
    for step in files.indices {
      guard let photo = try picture(files[(first + step) % files.count], side: side) else {
        continue
      }
      return try part(of: photo, side: side, &generator)
    }
    throw StyleTransferError(
      .input, "None of the \(files.count) content pictures can be read. Use other ones.")
  }

  /// Returns the index in ``files`` of the photo at an offset in an epoch.
  func position(of offset: Int, round: Int, seed: UInt64) -> Int {
    EpochOrder(count: files.count, round: round, seed: seed).position(of: offset)
  }

  private func part(of photo: Picture, side: Int, _ generator: inout SplitMix64) throws
    -> Picture
  {
    let crop = RandomCrop(width: photo.width, height: photo.height, selection, &generator)
    let square: Picture = try photo.cropped(
      x: crop.x, y: crop.y, width: crop.side, height: crop.side)
    var result: Picture = try square.scaled(toWidth: side, height: side)
    if crop.isMirrored { result = try result.mirrored() }
    guard let exposure = crop.exposure else { return result }
    return try Picture(width: side, height: side, planes: result.planes.map { exposure($0) })
  }

  /// Reads a photo, or takes it from the cache, scaled down to the size that crops need. Returns nil if the file cannot
  /// be read.
  private func picture(_ file: URL, side: Int) throws -> Picture? {
    if let known = cache[file] { return known }
    guard !unreadable.contains(file) else { return nil }
    guard var photo = try? Picture(contentsOf: file).withoutAlpha else {
      unreadable.insert(file)
      return nil
    }
    let shorter: Int = min(photo.width, photo.height)
    let wanted: Int = Int((Double(side) / selection.crop.smallestShare).rounded(.up))
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

extension SplitMix64 {
  /// Creates the generator for an index of a sequence. The generator depends only on the index and the seed, so a
  /// sequence can be resumed at any index.
  init(counting index: UInt64, seed: UInt64) {
    var row = SplitMix64(seed: seed)
    self.init(seed: row.next() ^ (index &* 0xD134_2543_DE82_EF95))
    _ = next()
  }
}

extension Picture {
  /// Mirrors the picture left to right.
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
