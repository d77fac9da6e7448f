import { format, type Money } from "@shop/money";

export interface PriceTagProps {
  readonly amount: Money;
  /** Shown before the amount. */
  readonly label?: string;
  readonly emphasis?: "none" | "strong";
}

export function PriceTag({ amount, label, emphasis = "none" }: PriceTagProps) {
  return (
    <span class={`price ${emphasis}`}>
      {label !== undefined && `${label}: `}
      {format(amount)}
    </span>
  );
}
