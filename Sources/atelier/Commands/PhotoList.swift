import Foundation
import Imaging

/// The photos to work on and the files that they become.
struct PhotoList {
  /// One photo.
  struct Job {
    let photo: String
    let painting: String
  }

  /// What folders are searched for.
  static let extensions: Set<String> = [
    "jpg", "jpeg", "png", "webp", "tif", "tiff", "heic", "heif", "avif", "gif",
  ]

  /// The photos, in the order of the command line; those of a folder by name.
  let jobs: [Job]
  /// Pictures that are left out because Atelier painted them.
  let paintings: [String]

  /// Finds the photos and names their paintings, before anything is painted.
  ///
  /// - Parameters:
  ///   - words: files and folders.
  ///   - output: a file for one photo, else a folder; nil paints beside each photo.
  ///   - suffix: what the painting's name adds to the photo's, where it lies beside it.
  ///   - paintsAgain: whether paintings of Atelier's own are painted too. A picture that is named alone
  ///     always is.
  init(_ words: [String], output: String?, suffix: String, paintsAgain: Bool) throws {
    var photos: [String] = []
    var hasFolder = false
    for word in words {
      guard let isFolder = Self.isFolder(word) else {
        throw CommandError("Photo '\(word)': there is no such file. Check the path.")
      }
      guard isFolder else {
        photos.append(word)
        continue
      }
      hasFolder = true
      let found: [String] = try Self.pictures(in: word)
      guard !found.isEmpty else {
        throw CommandError("Folder '\(word)' has no pictures in it.")
      }
      photos += found
    }
    let goesIntoFolder: Bool =
      output.map { hasFolder || photos.count > 1 || $0.hasSuffix("/") || Self.isFolder($0) == true }
      ?? false
    func painting(of photo: String) -> String {
      let name: String = Self.name(of: photo, suffix: output == nil ? suffix : "")
      guard let output else {
        return Self.path(name, in: (photo as NSString).deletingLastPathComponent)
      }
      return goesIntoFolder ? Self.path(name, in: output) : output
    }
    let isAlone: Bool = photos.count == 1 && !hasFolder
    if paintsAgain || isAlone {
      paintings = []
    } else {
      let results = Set(photos.map { Self.canonical(painting(of: $0)) })
      paintings = photos.filter { photo in
        results.contains(Self.canonical(photo)) && output == nil
          || (try? Picture.probe(photo))?.origin != nil
      }
      let left = Set(paintings)
      photos.removeAll { left.contains($0) }
      guard !photos.isEmpty else {
        throw CommandError(
          "There are only pictures that Atelier painted, such as '\(paintings[0])'; --again paints"
            + " them again.")
      }
    }
    jobs = try photos.map { photo in
      let painting: String = painting(of: photo)
      _ = try PictureFormat(path: painting)
      guard Self.canonical(painting) != Self.canonical(photo) else {
        throw CommandError(
          "Photo '\(photo)' would be painted over. Choose another output with -o.")
      }
      return Job(photo: photo, painting: painting)
    }
    try checkNames()
    if goesIntoFolder, let output {
      try FileManager.default.createDirectory(
        atPath: output, withIntermediateDirectories: true)
    }
  }

  /// The pictures that words name: files, and those of folders by name.
  static func pictures(_ words: [String]) throws -> [String] {
    try words.flatMap { word -> [String] in
      guard let isFolder = isFolder(word) else {
        throw CommandError("Photo '\(word)': there is no such file. Check the path.")
      }
      let found: [String] = isFolder ? try pictures(in: word) : [word]
      guard !found.isEmpty else { throw CommandError("Folder '\(word)' has no pictures in it.") }
      return found
    }
  }

  /// Two photos of one name, from two folders or with two extensions, may not become one painting.
  private func checkNames() throws {
    var seen: [String: String] = [:]
    for job in jobs {
      if let other = seen.updateValue(job.photo, forKey: job.painting) {
        throw CommandError(
          "Photos '\(other)' and '\(job.photo)' would both become '\(job.painting)'."
            + " Paint them into different folders.")
      }
    }
  }

  /// Whether a path is a folder; nil where there is nothing.
  private static func isFolder(_ path: String) -> Bool? {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      return nil
    }
    return isDirectory.boolValue
  }

  private static func pictures(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .filter { name in
        !name.hasPrefix(".")
          && extensions.contains(URL(fileURLWithPath: name).pathExtension.lowercased())
      }
      .map { path($0, in: folder) }
  }

  /// The path of a file in a folder, relative where the folder's is.
  private static func path(_ name: String, in folder: String) -> String {
    (folder as NSString).appendingPathComponent(name)
  }

  /// The painting's file name: that of the photo, as PNG where its format can only be read.
  private static func name(of photo: String, suffix: String) -> String {
    let file = URL(fileURLWithPath: photo)
    let isWritable: Bool = PictureFormat(fileExtension: file.pathExtension) != nil
    let ending: String = isWritable ? file.pathExtension : "png"
    return "\(file.deletingPathExtension().lastPathComponent)\(suffix).\(ending)"
  }

  private static func canonical(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
  }
}
