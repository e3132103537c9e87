import Arguments
import Imaging
import StyleTransfer

/// Painting at a smaller size, and enlarging the painting with a network: `--upscale N`.
struct Enlargement {
  let upscaler: Upscaler
  /// How many times smaller the picture is painted.
  let factor: Int

  static let option = CommandSyntax.Option(
    "upscale", value: "N",
    help: "Paints at the size divided by N, 2 to 4, and enlarges the\n"
      + "painting with a network (`atelier fetch upscaler`), so that\nstrokes are large and sharp.")

  /// Reads the option. Returns nil if the command line does not have it.
  init?(_ arguments: ParsedArguments) throws {
    guard let factor = try arguments.integer("upscale", in: 2...4) else { return nil }
    upscaler = try UpscaleCommand.opened(nil, arguments)
    self.factor = factor
  }

  /// Returns the longer side, in pixels, at which a picture of this longer side is painted.
  func paintedSide(of side: Int) -> Int { max(16, (side + factor - 1) / factor) }
}
