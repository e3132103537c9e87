import Conversion
import Engine
import Foundation
import Imaging

/// Enlarges pictures with a network for super-resolution, tile by tile. Edges of strokes stay sharp, which enlarging by
/// interpolation blurs.
///
/// The network takes a picture `[1, 3, height, width]` of 0…1 of any size, and returns it an integer number of times larger
/// on both sides. `atelier fetch upscaler` gets such a network.
///
/// **Source:** Wang, Xie, Dong, Shan, “Real-ESRGAN: Training real-world blind super-resolution with pure synthetic
/// data”, arXiv:2107.10833.
public struct Upscaler: Sendable {
  /// How many times larger the network makes both sides of a picture.
  public let factor: Int
  private let network: Network

  typealias Span = Painter.Tiling.Span

  /// The largest side, in pixels, of the part of a tile that only this tile enlarges.
  private static let side = 256
  /// The pixels around that part, which the network also reads. The network that `atelier fetch upscaler` gets sees 18
  /// pixels in each direction, so its tiles join without a seam.
  private static let margin = 24
  /// The side of the picture with which the network's factor is found out.
  private static let probe = 64
  private static let factors = 2...8

  /// Opens a network in a file of any format that ``ModelReaders`` reads.
  ///
  /// - Throws: ``StyleTransferError`` if the network does not enlarge pictures, or the errors of its reader.
  public init(contentsOf file: URL, options: ExecutionOptions = ExecutionOptions()) throws {
    var model: GraphModel = try ModelReaders.read(file)
    let shape: Shape = [1, 3, Self.probe, Self.probe]
    guard model.inputs.count == 1, model.outputs.count == 1,
      (try? model.graph.inferTypes(from: [TensorType(shape)])) != nil,
      let enlarged = model.graph[model.graph.outputs[0]].type?.shape, enlarged.rank == 4,
      enlarged[0] == 1, enlarged[1] == 3, enlarged[2] == enlarged[3],
      enlarged[2] % Self.probe == 0, Self.factors.contains(enlarged[2] / Self.probe)
    else {
      throw StyleTransferError(
        .network,
        "'\(file.lastPathComponent)' does not enlarge pictures, expected one input of 1 × 3 × height ×"
          + " width of any size, and one output that is 2 to 8 times larger.")
    }
    factor = enlarged[2] / Self.probe
    network = Network(model.graph, passes: GraphPasses.standard, options: options)
  }

  /// Enlarges a picture to a size. If the size is more than ``factor`` times larger, the network enlarges the picture
  /// several times. A picture that is larger on both sides is only scaled.
  ///
  /// - Parameter report: Called with the share of the work that is done, 0 to 1.
  public func enlarged(
    _ picture: Picture, to size: PictureSize, report: (Double) throws -> Void = { _ in }
  ) throws -> Picture {
    guard size.width > picture.width || size.height > picture.height else {
      return try picture.scaled(to: size)
    }
    let smaller: PictureSize = size.scaled(by: 1 / Double(factor))
    guard smaller.width <= picture.width, smaller.height <= picture.height else {
      let base: Picture = try enlarged(picture, to: smaller)
      return try enlarged(base, to: size, report: report)
    }
    return try enlarged(picture, report: report).scaled(to: size)
  }

  /// Enlarges a picture ``factor`` times. Transparency is interpolated.
  ///
  /// - Parameter report: Called with the share of the work that is done, 0 to 1.
  public func enlarged(_ picture: Picture, report: (Double) throws -> Void = { _ in }) throws
    -> Picture
  {
    let size = PictureSize(width: picture.width * factor, height: picture.height * factor)
    let (area, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    guard !overflow, area <= Picture.defaultPixelLimit else {
      throw StyleTransferError(
        .input,
        "A picture of \(size) has more than \(Picture.defaultPixelLimit) pixels, which is the limit."
          + " Choose a smaller size.")
    }
    let (rows, columns) = (Self.spans(picture.height), Self.spans(picture.width))
    let opaque: Picture = picture.withoutAlpha
    let shape: Shape = [1, 3, rows[0].painted.count, columns[0].painted.count]
    let plan = try network.plan(for: [TensorType(shape)])
    let result = try Picture(width: size.width, height: size.height) { pixels in
      try plan.withSession { session in
        for (row, down) in rows.enumerated() {
          for (column, across) in columns.enumerated() {
            let tile: Picture = try opaque.cropped(
              x: across.painted.lowerBound, y: down.painted.lowerBound, width: across.painted.count,
              height: down.painted.count)
            FloatTensor(shape, tile.planes.map { $0 / 255 }).write(to: session.input(0))
            try session.run()
            copy(
              FloatTensor(try session.output(0)), down, across, to: pixels, width: size.width)
            try report(
              Double(row * columns.count + column + 1) / Double(rows.count * columns.count))
          }
        }
      }
    }
    return picture.alpha == nil ? result : try result.withAlpha(of: picture.scaled(to: size))
  }

  /// Divides a side of a picture. The network reads the same number of pixels for all tiles, so that one plan enlarges
  /// them.
  static func spans(_ length: Int) -> [Span] {
    let count: Int = (length + side - 1) / side
    let each: Int = (length + count - 1) / count
    let painted: Int = min(length, each + 2 * margin)
    return Span.dividing(length, by: each, painted: painted, margin: margin)
  }

  /// Copies the core of an enlarged tile to its place.
  private func copy(
    _ tile: FloatTensor, _ down: Span, _ across: Span,
    to pixels: UnsafeMutableBufferPointer<UInt8>, width: Int
  ) {
    let (height, stride) = (tile.shape[2], tile.shape[3])
    tile.values.withUnsafeBufferPointer { values in
      for y in down.core.lowerBound * factor..<down.core.upperBound * factor {
        let row: Int = y - down.painted.lowerBound * factor
        for x in across.core.lowerBound * factor..<across.core.upperBound * factor {
          let column: Int = x - across.painted.lowerBound * factor
          for channel in 0..<3 {
            let value: Float = values[(channel * height + row) * stride + column] * 255
            pixels[(y * width + x) * 3 + channel] =
              UInt8(min(255, max(0, value.isNaN ? 0 : value.rounded())))
          }
        }
      }
    }
  }
}
