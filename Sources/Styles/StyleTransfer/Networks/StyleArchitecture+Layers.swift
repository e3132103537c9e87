import Engine

extension StyleArchitecture {
  /// The name of the model's input, a picture.
  public static let inputName = "image"
  /// The name of the input with the weights of the styles, if the network has several.
  public static let stylesName = "styles"
  /// The name of the model's output, the painting. Create ML uses the same name.
  public static let outputName = "stylizedImage"

  /// How far the range of the scaled sigmoid extends below 0 and above 255. Because of this headroom, the sigmoid
  /// reaches black and white without saturating.
  private static let headroom: Float = 12
  /// The suffix of the names of shortcut convolutions.
  static let shortcutSuffix = "_shortcut"
  /// The name of the shortcut convolution from the picture to the painting.
  static let pictureShortcut = "paint\(shortcutSuffix)"

  /// The layers in the order in which they run. The last one computes the painting.
  var layers: [StyleLayer] {
    var network = StyleLayers(styleCount: styleCount)
    var channels: Int = 3
    var value: String = network.mirroredMargin("margin", margin, reading: Self.inputName)
    let picture: String = value
    var encoded: [(value: String, channels: Int)] = []
    for (index, stage) in encoding.enumerated() {
      value = network.convolution(
        "encode\(index + 1)", kernel: stage.kernel, stride: stage.factor, from: channels,
        to: stage.channels, reading: value)
      value = network.norm("encode\(index + 1)_norm", channels: stage.channels, reading: value)
      value = network.activation("encode\(index + 1)_relu", .reLU, reading: value)
      encoded.append((value, stage.channels))
      channels = stage.channels
    }
    for index in 1..<(residualBlocks + 1) {
      value = addResidualBlock("residual\(index)", to: &network, reading: value)
    }
    for (index, stage) in decoding.enumerated() {
      value = network.upsampling("decode\(index + 1)_up", by: stage.factor, reading: value)
      value = network.convolution(
        "decode\(index + 1)", kernel: stage.kernel, from: channels, to: stage.channels,
        reading: value)
      if shortcuts != .none {
        let seen = encoded[encoding.count - 2 - index]
        let shortcut: String = network.convolution(
          "decode\(index + 1)\(Self.shortcutSuffix)", kernel: stage.kernel, from: seen.channels,
          to: stage.channels, reading: seen.value)
        // If an odd side is halved and doubled, it has one pixel more, which is cropped.
        value = network.crop(
          "decode\(index + 1)_crop", margin: 0, reading: value, sizeOf: seen.value)
        value = network.sum("decode\(index + 1)_sum", value, shortcut)
      }
      value = network.norm("decode\(index + 1)_norm", channels: stage.channels, reading: value)
      value = network.activation("decode\(index + 1)_relu", .reLU, reading: value)
      channels = stage.channels
    }
    if last.factor > 1 {
      value = network.upsampling("paint_up", by: last.factor, reading: value)
    }
    value = network.convolution(
      "paint", kernel: last.kernel, from: channels, to: last.channels, hasBias: true,
      reading: value)
    if shortcuts == .stagesAndPicture {
      let shortcut: String = network.convolution(
        Self.pictureShortcut, kernel: 5, from: 3, to: last.channels, reading: picture)
      value = network.sum("paint_sum", value, shortcut)
    }
    value = network.activation("paint_sigmoid", .sigmoid, reading: value)
    value = network.affine(
      "paint_range", scale: 255 + 2 * Self.headroom, bias: -Self.headroom, reading: value)
    _ = network.crop("crop", margin: margin, reading: value, sizeOf: Self.inputName)
    return network.all
  }

  private func addResidualBlock(
    _ name: String, to network: inout StyleLayers, reading input: String
  ) -> String {
    let channels: Int = residualChannels
    var value: String = network.convolution(
      "\(name)a", kernel: 3, from: channels, to: channels, reading: input)
    value = network.norm("\(name)a_norm", channels: channels, reading: value)
    value = network.activation("\(name)a_relu", .reLU, reading: value)
    value = network.convolution(
      "\(name)b", kernel: 3, from: channels, to: channels, reading: value)
    value = network.norm("\(name)b_norm", channels: channels, reading: value)
    return network.sum("\(name)_sum", value, input)
  }

  /// The trainable parameters, in the order of the layers.
  public var parameters: [StyleParameter] { layers.flatMap(\.parameters) }
}
