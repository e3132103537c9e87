import Foundation
import Imaging

/// Finds the photos that a command line names: files, and the pictures in folders.
struct PhotoSearch {
  /// A photo's file, and the subfolder of the named folder that contains it. The subfolder is empty for files that are
  /// directly in the folder, or are named themselves.
  struct Photo {
    let path: String
    let subfolder: String
  }

  /// The file name extensions of pictures. Files in folders are found only if they have one of these extensions.
  static let extensions: Set<String> = [
    "jpg", "jpeg", "jpe", "jfif", "png", "webp", "tif", "tiff", "heic", "heif", "hif", "avif",
    "gif", "bmp",
  ]

  /// The photos in the order of the command line. The photos of a folder are sorted by name.
  private(set) var photos: [Photo] = []
  /// Whether a folder is named.
  private(set) var hasFolder = false
  /// The subfolders that are not searched.
  private(set) var leftOut: [String] = []

  /// Finds the photos.
  ///
  /// - Parameters:
  ///   - words: The paths of files and folders.
  ///   - isRecursive: Whether subfolders are searched. Links to folders are not followed.
  ///   - output: A folder that is not searched.
  /// - Throws: `CommandError` for a path that does not exist, and for a folder without pictures.
  init(_ words: [String], isRecursive: Bool, without output: String? = nil) throws {
    let left: String? = output.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
    for word in words {
      guard let isFolder = Self.isFolder(word) else {
        throw CommandError("Photo '\(word)': there is no such file. Check the path.")
      }
      guard isFolder else {
        photos.append(Photo(path: word, subfolder: ""))
        continue
      }
      hasFolder = true
      let count: Int = photos.count
      try search(word, subfolder: "", isRecursive: isRecursive, without: left)
      guard photos.count > count else {
        let hint: String =
          leftOut.isEmpty ? "" : " Its subfolders are left out; --recursive searches them too."
        throw CommandError("Folder '\(word)' contains no pictures.\(hint)")
      }
    }
  }

  private mutating func search(
    _ root: String, subfolder: String, isRecursive: Bool, without output: String?
  ) throws {
    let folder: String = Self.path(subfolder, in: root)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    where !name.hasPrefix(".") {
      let path: String = Self.path(name, in: folder)
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        guard URL(fileURLWithPath: path).standardizedFileURL.path != output else { continue }
        guard isRecursive else {
          leftOut.append(path)
          continue
        }
        try search(
          root, subfolder: Self.path(name, in: subfolder), isRecursive: true, without: output)
      } else if Self.extensions.contains(URL(fileURLWithPath: name).pathExtension.lowercased()),
        Self.isFolder(path) == false
      {
        photos.append(Photo(path: path, subfolder: subfolder))
      }
    }
  }

  /// A sentence about subfolders that are not searched. Nil if there are none.
  var note: String? {
    guard let first = leftOut.first else { return nil }
    let isOne: Bool = leftOut.count == 1
    return "\(isOne ? "1 subfolder is" : "\(leftOut.count) subfolders are") left out"
      + " ('\(first)'\(isOne ? "" : ", …")); --recursive takes their photos too."
  }

  /// Returns whether a path is a folder, or nil if nothing exists at the path.
  static func isFolder(_ path: String) -> Bool? {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      return nil
    }
    return isDirectory.boolValue
  }

  /// Joins a folder's path and a file name. The result is relative if the path of the folder is relative.
  static func path(_ name: String, in folder: String) -> String {
    name.isEmpty ? folder : (folder as NSString).appendingPathComponent(name)
  }
}
