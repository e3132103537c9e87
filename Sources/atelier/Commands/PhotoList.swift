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

  /// Finds the photos and names their paintings, before anything is painted.
  ///
  /// - Parameters:
  ///   - words: files and folders.
  ///   - output: a file for one photo, else a folder; nil paints beside each photo.
  ///   - suffix: what the painting's name adds to the photo's, where it lies beside it.
  init(_ words: [String], output: String?, suffix: String) throws {
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
    jobs = try photos.map { photo in
      let name: String = Self.name(of: photo, suffix: output == nil ? suffix : "")
      let painting: String
      if let output {
        painting = goesIntoFolder ? Self.path(name, in: output) : output
      } else {
        painting = Self.path(name, in: (photo as NSString).deletingLastPathComponent)
      }
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
