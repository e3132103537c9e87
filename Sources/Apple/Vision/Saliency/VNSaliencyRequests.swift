import CVision
import CoreGraphics
import CoreVideo
import Foundation
import Imaging

/// The first revision of ``VNGenerateAttentionBasedSaliencyImageRequest``. Here, all revisions are equal.
public let VNGenerateAttentionBasedSaliencyImageRequestRevision1: Int = 1
/// The second revision of ``VNGenerateAttentionBasedSaliencyImageRequest``.
public let VNGenerateAttentionBasedSaliencyImageRequestRevision2: Int = 2
/// The first revision of ``VNGenerateObjectnessBasedSaliencyImageRequest``. Here, all revisions are equal.
public let VNGenerateObjectnessBasedSaliencyImageRequestRevision1: Int = 1
/// The second revision of ``VNGenerateObjectnessBasedSaliencyImageRequest``.
public let VNGenerateObjectnessBasedSaliencyImageRequestRevision2: Int = 2

/// A heat map of the parts of an image that stand out: 68 × 68 numbers from 0 to 1, as
/// `kCVPixelFormatType_OneComponent32Float`.
open class VNSaliencyImageObservation: VNPixelBufferObservation {
  /// The boxes around the parts, the most salient first.
  public let salientObjects: [VNRectangleObservation]?

  init(pixelBuffer: CVPixelBuffer, salientObjects: [VNRectangleObservation]) {
    self.salientObjects = salientObjects
    super.init(pixelBuffer: pixelBuffer, featureName: nil)
  }
}

/// A request for a heat map of the parts of an image that attract attention. The result is one
/// ``VNSaliencyImageObservation``, with one box at most.
///
/// The map shows contrast with the surroundings in intensity and colour (Itti, Koch and Niebur, 1998). Apple's request
/// uses a network that was trained with the eyes of people.
open class VNGenerateAttentionBasedSaliencyImageRequest: VNImageBasedRequest {
  /// The result of the last run; nil before the first run and after an error.
  public var results: [VNSaliencyImageObservation]? {
    found?.compactMap { $0 as? VNSaliencyImageObservation }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    return [try SaliencyMap(image.upright(self), isForObjects: false).observation(mostBoxes: 1)]
  }

  /// The supported revisions of the request's algorithm.
  override open class var supportedRevisions: IndexSet { IndexSet(1...2) }
  /// The revision of new requests.
  override open class var defaultRevision: Int { 2 }
  /// The newest revision of the request's algorithm.
  override open class var currentRevision: Int { 2 }
}

/// A request for a heat map of the parts of an image that are probably objects. The result is one
/// ``VNSaliencyImageObservation``, with three boxes at most.
///
/// The map shows how far colours differ from the mean colour (Achanta et al., 2009). Apple's request uses a network.
open class VNGenerateObjectnessBasedSaliencyImageRequest: VNImageBasedRequest {
  /// The result of the last run; nil before the first run and after an error.
  public var results: [VNSaliencyImageObservation]? {
    found?.compactMap { $0 as? VNSaliencyImageObservation }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    return [try SaliencyMap(image.upright(self), isForObjects: true).observation(mostBoxes: 3)]
  }

  /// The supported revisions of the request's algorithm.
  override open class var supportedRevisions: IndexSet { IndexSet(1...2) }
  /// The revision of new requests.
  override open class var defaultRevision: Int { 2 }
  /// The newest revision of the request's algorithm.
  override open class var currentRevision: Int { 2 }
}

/// How much each part of a picture stands out.
struct SaliencyMap {
  /// The numbers of columns and rows.
  static let side = 68
  /// The numbers, 0 to 1, row by row.
  let values: [Float]

  init(_ picture: Picture, isForObjects: Bool) throws {
    var values = [Float](repeating: 0, count: Self.side * Self.side)
    let isDone: Bool = picture.withPixels { pixels in
      guard let first = pixels.baseAddress else { return false }
      // Safe: the picture has width × height pixels of 3 bytes, and the result has side × side numbers.
      return cvision_saliency(
        first, Int32(picture.width), Int32(picture.height), isForObjects, Int32(Self.side), &values)
    }
    guard isDone else {
      throw VNError(.outOfMemory, "There is no memory for a map of saliency.")
    }
    self.values = values
  }

  /// Returns the map with the boxes of its most salient parts.
  func observation(mostBoxes: Int) throws -> VNSaliencyImageObservation {
    VNSaliencyImageObservation(
      pixelBuffer: try pixelBuffer(), salientObjects: try Array(boxes().prefix(mostBoxes)))
  }

  private func pixelBuffer() throws -> CVPixelBuffer {
    var made: CVPixelBuffer?
    guard
      CVPixelBufferCreate(
        kCFAllocatorDefault, Self.side, Self.side, kCVPixelFormatType_OneComponent32Float, nil,
        &made)
        == kCVReturnSuccess, let buffer = made, let rows = CVPixelBufferGetBaseAddress(buffer)
    else { throw VNError(.outOfMemory, "There is no memory for a map of saliency.") }
    let rowBytes: Int = CVPixelBufferGetBytesPerRow(buffer)
    for row in 0..<Self.side {
      // Safe: each row of the buffer has space for `side` floats.
      let line = (rows + row * rowBytes).assumingMemoryBound(to: Float.self)
      for column in 0..<Self.side { line[column] = values[row * Self.side + column] }
    }
    return buffer
  }

  /// Returns the boxes around the connected parts above twice the mean, those with the largest sums first. The
  /// confidence is the mean of the numbers inside.
  private func boxes() throws -> [VNRectangleObservation] {
    let side: Int = Self.side
    let mean: Float = values.reduce(0, +) / Float(values.count)
    guard mean > 0 else { return [] }
    let limit: Float = min(0.5, 2 * mean)
    let binary: [UInt8] = values.map { $0 >= limit ? 1 : 0 }
    let outer = try FollowedBorders.borders(in: binary, width: side, height: side)
      .filter { $0.parent < 0 }
    var parts: [(sum: Float, box: VNRectangleObservation)] = []
    for border in outer {
      let columns = border.points.map { Int($0.x) }
      let rows = border.points.map { Int($0.y) }
      guard let left = columns.min(), let right = columns.max(), let top = rows.min(),
        let bottom = rows.max()
      else { continue }
      var sum: Float = 0
      for row in top...bottom {
        for column in left...right { sum += values[row * side + column] }
      }
      let (x, y) = (CGFloat(left) / CGFloat(side), 1 - CGFloat(bottom + 1) / CGFloat(side))
      let (farX, farY) = (CGFloat(right + 1) / CGFloat(side), 1 - CGFloat(top) / CGFloat(side))
      parts.append(
        (
          sum,
          VNRectangleObservation(
            topLeft: CGPoint(x: x, y: farY), topRight: CGPoint(x: farX, y: farY),
            bottomLeft: CGPoint(x: x, y: y), bottomRight: CGPoint(x: farX, y: y),
            confidence: sum / Float((right - left + 1) * (bottom - top + 1)))
        ))
    }
    return parts.sorted { $0.sum > $1.sum }.map(\.box)
  }
}
