import Foundation
import Imaging
import Platform

/// An image file to write.
///
/// Add one image, then call ``CGImageDestinationFinalize(_:)``. Only that call writes the file.
public final class CGImageDestination: @unchecked Sendable {
  // Sendable: the stored properties are constants, and `Locked` protects the state. Only `finalize` appends to the
  // caller's data, and it does so inside the lock.

  enum Target {
    case file(String)
    case memory(CFMutableData)
  }

  private struct State {
    var picture: Picture?
    var quality: Int = Picture.defaultQuality
    var isFinal: Bool = false
  }

  private let target: Target
  private let format: PictureFormat
  private let state: Locked<State> = Locked(State())

  init(target: Target, format: PictureFormat) {
    self.target = target
    self.format = format
  }

  func add(_ picture: Picture?, quality: Double?) {
    state.withLock { (state: inout State) in
      state.picture = picture
      if let quality { state.quality = min(100, max(1, Int((quality * 100).rounded()))) }
    }
  }

  func finalize() -> Bool {
    state.withLock { (state: inout State) -> Bool in
      guard !state.isFinal, let picture = state.picture,
        let bytes = try? picture.encoded(as: format, quality: state.quality)
      else { return false }
      state.isFinal = true
      switch target {
      case .memory(let data):
        data.append(bytes)
        return true
      case .file(let path):
        return (try? Picture.writeAtomically(bytes, toFile: path)) != nil
      }
    }
  }
}

/// Creates a destination that writes a file.
///
/// - Parameter type: The uniform type: `public.jpeg`, `public.png`, `public.tiff` or
///   `org.webmproject.webp`.
/// - Returns: Nil for another type, or for a URL that is not a file URL.
public func CGImageDestinationCreateWithURL(
  _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  guard url.isFileURL, let format = PictureFormat(uniformType: type) else { return nil }
  return CGImageDestination(target: .file(url.path), format: format)
}

/// Creates a destination that appends to data in memory.
///
/// - Returns: Nil for a type that `CGImageDestinationCreateWithURL` does not support.
public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  guard let format = PictureFormat(uniformType: type) else { return nil }
  return CGImageDestination(target: .memory(data), format: format)
}

/// Sets the image to write. The property `kCGImageDestinationLossyCompressionQuality` sets the quality of the file. The
/// function rotates the pixels as the property `kCGImagePropertyOrientation` states.
public func CGImageDestinationAddImage(
  _ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) {
  let rawOrientation: UInt32? = number(properties?[kCGImagePropertyOrientation]).flatMap {
    UInt32(exactly: $0)
  }
  let orientation: Orientation = rawOrientation.flatMap { Orientation(rawValue: $0) } ?? .up
  let upright: Picture? = try? image.picture.oriented(orientation)
  destination.add(
    upright, quality: number(properties?[kCGImageDestinationLossyCompressionQuality]))
}

/// Writes the file or appends to the data, completely or not at all.
///
/// - Returns: False if no image was added, if writing failed, or if an earlier call has already written or tried to
///   write the image.
@discardableResult
public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool {
  destination.finalize()
}

private func number(_ value: Any?) -> Double? {
  switch value {
  case let number as Double: return number
  case let number as Float: return Double(number)
  case let number as NSNumber: return number.doubleValue
  case let number as any BinaryInteger: return Double(Int(clamping: number))
  default: return nil
  }
}

extension PictureFormat {
  fileprivate init?(uniformType: String) {
    switch uniformType {
    case "public.jpeg": self = .jpeg
    case "public.png": self = .png
    case "public.tiff": self = .tiff
    case "org.webmproject.webp": self = .webp
    default: return nil
    }
  }
}
