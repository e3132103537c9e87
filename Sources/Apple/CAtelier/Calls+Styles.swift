import CAtelierHeader
import Foundation
import ModelFormat
import StyleTransfer

@c @implementation
public func atelier_export_style(
  _ source: UnsafePointer<CChar>?, _ style: UnsafePointer<CChar>?, _ strength: Double,
  _ target: UnsafePointer<CChar>?,
  _ sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> atelier_status {
  reporting(to: sentence) {
    let source = URL(fileURLWithPath: String(cString: try nonNull(source, "source")))
    let target = URL(fileURLWithPath: String(cString: try nonNull(target, "target")))
    let mixture = String(cString: try nonNull(style, "style"))
    let network = try MultiStyleNetwork(
      reading: ModelFile.open(source).model, name: source.lastPathComponent)
    try network.mixture(of: MultiStyleNetwork.shares(mixture), strength: strength)
      .model(description: .style(mixture, strength: strength)).write(to: target)
  }
}
