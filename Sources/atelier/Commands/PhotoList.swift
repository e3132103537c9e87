import Foundation
import Imaging

/// The photos to paint, and the files to write the paintings to.
struct PhotoList {
  /// A photo's file, and the file of its painting.
  struct Job {
    let photo: String
    let painting: String
  }

  /// How photos are found, and how their paintings are named.
  struct Options {
    /// The path of the painting's file. It is the path of a folder if several photos or a folder are given, or if a
    /// folder has this path. Nil to write each painting into the folder of its photo.
    var output: String?
    /// Added to the names of the photos to name their paintings. Ignored unless `output` is nil.
    var suffix = ""
    /// The extension of paintings. Nil for that of their photos.
    var pathExtension: String?
    /// Whether to paint pictures that Atelier has painted. A single given picture is always painted.
    var paintsAgain = false
    /// Whether photos in subfolders are painted, too, into the same subfolders of `output`.
    var isRecursive = false
    /// Whether to leave out photos whose paintings exist.
    var skipsExisting = false
    /// Whether to write nothing, not even folders.
    var isDry = false
  }

  /// The photos in the order of the command line. The photos of a folder are sorted by name.
  let jobs: [Job]
  /// Pictures that are skipped because Atelier painted them. They are recognised by an entry in the file, or by the
  /// file's name.
  let paintings: [String]
  /// The number of photos that are skipped because their paintings exist.
  let existingCount: Int
  /// A sentence about subfolders that are left out.
  private let subfolderNote: String?

  /// Finds the photos and names their paintings, before anything is painted.
  ///
  /// - Parameter words: The paths of files and folders.
  init(_ words: [String], _ options: Options) throws {
    let found = try PhotoSearch(
      words, isRecursive: options.isRecursive, without: options.output)
    var photos: [PhotoSearch.Photo] = found.photos
    subfolderNote = found.note
    let output: String? = options.output
    let goesIntoFolder: Bool =
      output.map {
        found.hasFolder || photos.count > 1 || $0.hasSuffix("/") || PhotoSearch.isFolder($0) == true
      } ?? false
    if goesIntoFolder, let output { try Self.checkFolder(output, count: photos.count) }
    func painting(of photo: PhotoSearch.Photo) -> String {
      let name: String = Self.name(of: photo.path, options)
      guard let output else {
        return PhotoSearch.path(name, in: (photo.path as NSString).deletingLastPathComponent)
      }
      return goesIntoFolder
        ? PhotoSearch.path(name, in: PhotoSearch.path(photo.subfolder, in: output)) : output
    }
    let isAlone: Bool = photos.count == 1 && !found.hasFolder
    if options.paintsAgain || isAlone {
      paintings = []
    } else {
      let results = Set(photos.map { Self.canonical(painting(of: $0)) })
      paintings = photos.map(\.path).filter { photo in
        results.contains(Self.canonical(photo)) && output == nil
          || (try? Picture.probe(photo))?.origin != nil
      }
      let left = Set(paintings)
      photos.removeAll { left.contains($0.path) }
      guard !photos.isEmpty else {
        throw CommandError(
          "Atelier painted all of these pictures, such as '\(paintings[0])'; --again paints them"
            + " again.")
      }
    }
    var jobs: [Job] = try photos.map { photo in
      let painting: String = painting(of: photo)
      _ = try PictureFormat(path: painting)
      guard Self.canonical(painting) != Self.canonical(photo.path) else {
        throw CommandError(
          "Photo '\(photo.path)' would be overwritten. Choose another output with -o.")
      }
      return Job(photo: photo.path, painting: painting)
    }
    try Self.checkNames(jobs)
    let all: Int = jobs.count
    if options.skipsExisting {
      jobs.removeAll { FileManager.default.fileExists(atPath: $0.painting) }
    }
    existingCount = all - jobs.count
    self.jobs = jobs
    guard goesIntoFolder, !options.isDry else { return }
    for job in jobs {
      try FileManager.default.createDirectory(
        atPath: (job.painting as NSString).deletingLastPathComponent,
        withIntermediateDirectories: true)
    }
  }

  /// Sentences about pictures that are not painted.
  var notes: [String] {
    func count(_ number: Int, _ one: String, _ several: String) -> String {
      number == 1 ? "1 \(one)" : "\(number) \(several)"
    }
    var result: [String] = []
    if let first = paintings.first {
      let isOne: Bool = paintings.count == 1
      result.append(
        "\(count(paintings.count, "picture is", "pictures are"))"
          + " skipped because Atelier painted \(isOne ? "it" : "them")"
          + " ('\(first)'\(isOne ? "" : ", …")); --again paints them too.")
    }
    if existingCount > 0 {
      result.append(
        "\(count(existingCount, "photo is", "photos are")) skipped because the painting exists.")
    }
    if let subfolderNote { result.append(subfolderNote) }
    return result
  }

  /// Throws if the name of the folder for paintings looks like that of a picture, which is probably a mistake.
  private static func checkFolder(_ output: String, count: Int) throws {
    let ending: String = URL(fileURLWithPath: output).pathExtension
    guard !output.hasSuffix("/"), PhotoSearch.isFolder(output) != true,
      PictureFormat(fileExtension: ending) != nil
    else { return }
    throw CommandError(
      "-o '\(output)' names one picture, but paintings of a folder or of several photos are written"
        + " (\(count)). Name a folder; a folder with this name needs a slash at its end:"
        + " '\(output)/'.")
  }

  /// Throws if two photos would be painted to the same file, for example photos from two folders or with two
  /// extensions.
  private static func checkNames(_ jobs: [Job]) throws {
    var seen: [String: String] = [:]
    for job in jobs {
      if let other = seen.updateValue(job.photo, forKey: job.painting) {
        throw CommandError(
          "Photos '\(other)' and '\(job.photo)' would both become '\(job.painting)'."
            + " Paint them into different folders.")
      }
    }
  }

  /// Returns the file name of a painting: the photo's name with the suffix. The extension becomes `.png` if the photo's
  /// format cannot be written.
  private static func name(of photo: String, _ options: Options) -> String {
    let file = URL(fileURLWithPath: photo)
    let isWritable: Bool = PictureFormat(fileExtension: file.pathExtension) != nil
    let ending: String = options.pathExtension ?? (isWritable ? file.pathExtension : "png")
    let suffix: String = options.output == nil ? options.suffix : ""
    return "\(file.deletingPathExtension().lastPathComponent)\(suffix).\(ending)"
  }

  private static func canonical(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
  }
}
