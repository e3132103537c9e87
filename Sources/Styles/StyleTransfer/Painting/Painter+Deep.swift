import CoreML
import Engine
import Imaging

extension Painter {
  /// A painting of 16 bits for each component, and the size at which it was painted.
  public struct DeepPainting: Sendable {
    /// The painting with the alpha of the photo.
    public let picture: DeepPicture
    /// The size at which the network painted.
    public let paintedSize: PictureSize
  }

  /// Paints a photo with 16 bits for each component. The network reads the photo rounded to 8 bits, and its results are
  /// rounded to 16.
  ///
  /// The samples have only 8 significant bits if `deep` is nil, or if the network cannot paint at the painting's size.
  ///
  /// - Parameters:
  ///   - longerSide: The longer side of the painting. Nil for the photo's.
  ///   - deep: A painter with the same network, whose model returns an array (``GraphModel/withArrayOutputs()``).
  public func paint(
    _ photo: DeepPicture, longerSide: Int? = nil, by deep: Painter?
  ) throws -> DeepPainting {
    let size: PictureSize = longerSide.map { photo.size.scaled(toLongerSide: $0) } ?? photo.size
    let rounded: Picture = try photo.rounded()
    if let deep, paintingSize(for: size) == size {
      try deep.requireMemory(forPaintingAt: size)
      let scaled: Picture = try rounded.scaled(to: size)
      if let painted = try deep.deepPrediction(of: scaled.withoutAlpha) {
        return DeepPainting(
          picture: painted.withAlpha(of: size == photo.size ? photo : try DeepPicture(scaled)),
          paintedSize: size)
      }
    }
    let painting: Painting = try paint(rounded, .wholePhoto(longerSide: longerSide))
    return DeepPainting(
      picture: try DeepPicture(painting.picture), paintedSize: painting.paintedSize)
  }
}

extension GraphModel {
  /// Returns the model with arrays in place of its output pictures, because samples of pictures have only 8 bits. Nil
  /// if an output picture is not RGB with samples of 0…255.
  public func withArrayOutputs() -> GraphModel? {
    var result: GraphModel = self
    for (index, value) in result.graph.outputs.enumerated() {
      guard let port = result.graph.imageOutputs[value] else { continue }
      guard port == Graph.ImagePort(.rgb) else { return nil }
      result.graph.imageOutputs[value] = nil
      result.outputs[index].image = nil
      // The element type of a picture is uint8.
      result.outputs[index].element = .float32
    }
    return result
  }
}
